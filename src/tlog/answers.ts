import * as z from 'zod'
import { type Answers, json } from '../api/answers.ts'

const LEAF_EXAMPLE =
  '{"v":1,"kind":"event","reg":"REG-2026-0001-0042-U","seq":42,"c":"TA9i4XW2p_L-5RDS6AcO7pLslqHjWHGW5ZKroa8ODXg"}'

const salt = z.string().meta({ description: '16 bytes in base64url', example: 'X0OdCfRkxzml65lEy3QuKw' })

const opening = z
  .object({
    salt,
    facts: z.string().meta({
      description:
        'JSON whose SHA-256, behind the salt, is `c` of the leaf: hash this text before it is parsed',
      example: '{"id":"01a201b2-dd71-7f14-b923-a89d2bb99f8d","event_type":"task_completed",…}',
    }),
    metadata_salt: salt.optional(),
    metadata: z.string().optional().meta({
      description: 'JSON whose SHA-256, behind its salt, is `metadata` of the facts',
      example: '{"response_ms": 1500}',
    }),
  })
  .meta({ id: 'LogOpening' })

const entry = z
  .object({
    index: z.number().int().min(0).meta({ description: 'Its place in the log, from 0', example: 1042 }),
    leaf: z
      .string()
      .meta({ description: 'The bytes of the leaf, as they are hashed', example: LEAF_EXAMPLE }),
    opening: opening
      .optional()
      .meta({ description: 'What opens the leaf; absent where this reader may not know its facts' }),
  })
  .meta({ id: 'LogEntry' })

export type LogEntry = z.infer<typeof entry>

export const answers = {
  listLogEntries: {
    tag: 'Verification',
    summary: "An agent's leaves in the transparency log",
    description:
      'What the log holds of an agent, in the order of the log, as far as its newest signed head covers it. Leaves say that something was recorded; what it was, an opening shows: to the operator of all, to its platform of the events since the agent joined, to everybody of the 50 newest events, of incidents, and of the agent as it is now. Tiles, proofs and the head are at /log.',
    responses: {
      200: json(
        z.object({
          data: z.array(entry),
          next_cursor: z
            .string()
            .nullable()
            .meta({ description: 'For the next page; null on the last', example: null }),
        }),
        'The leaves',
      ),
    },
    errors: ['NOT_FOUND'],
  },
} satisfies Answers
