import * as z from 'zod'
import { describeRoutes, json } from '../api/responses.ts'
import { itemsOf } from '../wire/responses.ts'

const LEAF_EXAMPLE =
  '{"v":1,"kind":"event","reg":"REG-2026-0001-0042-U","seq":42,"c":"TA9i4XW2p_L-5RDS6AcO7pLslqHjWHGW5ZKroa8ODXg"}'

const salt = z.string().meta({ description: '16 bytes in base64url', example: 'X0OdCfRkxzml65lEy3QuKw' })

const opening = z
  .object({
    salt,
    facts: z.string().meta({
      description:
        'JSON text; hash it before you parse it. Append this text to the decoded `salt`: the SHA-256 of the result, in base64url, is the field `c` of the leaf',
      example: '{"id":"01a201b2-dd71-7f14-b923-a89d2bb99f8d","event_type":"task_completed",…}',
    }),
    metadata_salt: salt.optional(),
    metadata: z.string().optional().meta({
      description:
        'JSON text. Append it to the decoded `metadata_salt`: the SHA-256 of the result, in base64url, is the field `metadata` in `facts`',
      example: '{"response_ms": 1500}',
    }),
    texts_salt: salt.optional(),
    texts: z.string().optional().meta({
      description:
        'JSON text of an agent or incident, committed to by the field `texts` in `facts` in the same way; omitted if withheld or redacted',
      example: '{"title":"Wrong invoice","description":"","resolution":null}',
    }),
  })
  .meta({ id: 'LogOpening', description: 'Opening of a leaf: shows what was recorded' })

const entry = z
  .object({
    index: z
      .number()
      .int()
      .min(0)
      .meta({ description: 'Index of the leaf in the log, starting at 0', example: 1042 }),
    leaf: z.string().meta({ description: 'The leaf, byte for byte as it is hashed', example: LEAF_EXAMPLE }),
    opening: opening.optional().meta({
      description: 'The opening of the leaf; omitted if the caller is not allowed to see its facts',
    }),
  })
  .meta({ id: 'LogEntry', description: 'Leaf of the transparency log' })

export type LogEntry = z.infer<typeof entry>

const nextCursor = z
  .string()
  .nullable()
  .meta({ description: 'Cursor of the next page; null on the last page', example: null })

const entryPage = z
  .object({ data: itemsOf(entry), next_cursor: nextCursor })
  .meta({ id: 'LogEntryPage', description: "Page of an agent's leaves" })

const statePage = z
  .object({ data: itemsOf(entry.omit({ opening: true })), next_cursor: nextCursor })
  .meta({ id: 'LogStatePage', description: 'Page of the leaves of an operator or platform' })

export const responses = describeRoutes('Verification', {
  listLogEntries: {
    summary: 'List the entries (leaves) of an agent in the transparency log',
    description:
      'Returns the leaves of an agent in log order, up to the newest signed head. A leaf states that something was recorded; its opening shows what was recorded. The operator of the agent gets all openings. Its platform gets those of events since the agent joined. Everyone gets those of the 50 newest events, of incidents, and of the current profile, without withheld or redacted texts. The signed head (the signed size and root of the log), tiles, and proofs are served under `/log` ([the transparency log](/docs/transparency)).',
    responses: {
      200: json(entryPage, 'The leaves'),
    },
    errors: ['NOT_FOUND'],
  },
  listOperatorLogEntries: {
    summary: 'List the leaves of an operator in the transparency log',
    description:
      'Returns a leaf for each time that an identity check of the operator succeeded (`verified`) or expired (`expired`), and that the operator was suspended (`suspended`) or no longer (`reinstated`), in log order up to the newest signed head. These leaves contain all facts, and name no person. An operator without a `verified` leaf was never verified.',
    responses: { 200: json(statePage, 'The leaves') },
    errors: ['NOT_FOUND'],
  },
  listPlatformLogEntries: {
    summary: 'List the leaves of a platform in the transparency log',
    description:
      'Returns a leaf for each change of what the source of its reports depends on, in log order up to the newest signed head: `registered`, `established` (`by` contains the ids of the operators that had worked with it), `distrusted`, `trusted` (no longer distrusted), `retired`.',
    responses: { 200: json(statePage, 'The leaves') },
    errors: ['NOT_FOUND'],
  },
})
