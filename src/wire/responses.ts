import * as z from 'zod'
import { REDACTION_REASONS, REPORTERS, SOURCES, type Source } from '../db/enums.ts'
import { ID_EXAMPLE, REG_EXAMPLE } from './fields.ts'
import { WARNING_CODES } from './warnings.ts'
import { WITHHELD_FIELDS } from './withheld.ts'

export const regNumber = z.string().meta({ description: 'Agent number', example: REG_EXAMPLE })

/** How the OpenAPI document marks claims that the registry has not verified. */
export const CLAIM = 'Stated by the operator; not checked'
/** Who reported an event, by its source. */
export const SOURCE_MEANING: Record<Source, string> = {
  self: 'the operator of the agent, or a platform whose operator may be the same person',
  unproven:
    'a platform whose operator has passed an identity check, while the operator of the agent has not: that they are two persons is not proven',
  peer: 'a platform whose operator is a different person, as identity checks showed',
  independent:
    'a platform that meets the condition of `peer`, is established (enough verified operators have worked with it), and is not distrusted',
}

export const recordId = z.uuid().meta({ description: 'ID of the record', example: ID_EXAMPLE })

/** The fields of a response with a substitute. */
export const withheld = z
  .array(z.enum(WITHHELD_FIELDS))
  .optional()
  .meta({
    description:
      'Present only if the registry withholds texts: the names of the fields with a substitute. Texts are withheld while the operator is suspended, or if an administrator of the registry has withheld those of the agent or platform',
    example: ['name', 'description'],
  })

/** When an administrator withheld texts, as shown to their operator. */
export const textsWithheldAt = (of: string) =>
  timeOrNull(
    `When the registry withheld the texts of the ${of} from everyone else; null while they are shown`,
    null,
  )

/** Who reported an event, in the responses that show it or the incident that it opened. */
export const reporter = {
  reported_by: z
    .enum(REPORTERS)
    .meta({ description: 'Whether the operator of the agent or its platform reported the event' }),
  source: z.enum(SOURCES).meta({
    description: `Who reported the event, as determined at that time. ${SOURCES.map((source) => `\`${source}\`: ${SOURCE_MEANING[source]}`).join('; ')}`,
  }),
  platform: z.string().nullable().meta({
    description: 'Slug of the platform that reported the event; null for the operator of the agent',
    example: null,
  }),
}

/** A number of items in a response. */
export const count = (example: number, description?: string) =>
  z
    .number()
    .int()
    .meta({ example, ...(description && { description }) })

const warning = z
  .object({
    code: z.enum(WARNING_CODES).meta({
      description:
        '`near_miss`: the field or value resembles one that the registry uses; `unused`: the field has no effect here; `bad_value`: the score cannot use the value',
    }),
    field: z.string().meta({ description: 'Path in the body, such as `metadata.duration`' }),
    message: z.string().meta({ description: 'Human-readable message' }),
  })
  .meta({
    id: 'Warning',
    description: 'Likely mistake in the body of a request',
    example: {
      code: 'near_miss',
      field: 'event_type',
      message:
        "'Task_Completed' is a custom type, which counts toward the trust score only with severity critical: did you mean task_completed?",
    },
  })

/** In the response to a request with a body; not stored. */
export const warnings = z.array(warning).optional().meta({
  description: 'Likely mistakes in the body, at most five; the request took effect nevertheless',
})

/** A point in time in a response. */
export const timestamp = z.iso.datetime().meta({ example: '2026-11-21T10:00:00.000Z' })

/** A point in time in a response, or null. */
export const timeOrNull = (description: string, example?: string | null) =>
  timestamp.nullable().meta({ description, ...(example !== undefined && { example }) })

/** The redaction of an event, in a response. */
export const redaction = z
  .object({
    at: timestamp.meta({ description: 'Time of the redaction' }),
    reason: z.enum(REDACTION_REASONS).meta({
      description:
        '`law`: required by law or a court; `secret`: the metadata contained a credential; `personal`: it contained personal data',
    }),
  })
  .meta({ id: 'Redaction', description: 'Present only if the metadata of the event was redacted' })

/** The pagination part of a response. */
export const pagination = z
  .object({
    page: count(1, 'Number of this page, starting at 1'),
    per_page: count(20, 'Maximum number of items per page'),
    total: count(1, 'Total number of items on all pages'),
    total_pages: count(1, 'Number of pages'),
  })
  .meta({ id: 'Pagination', description: 'Position of a page in its list' })

export const itemsOf = <Item extends z.ZodType>(item: Item, description = 'Items of this page') =>
  z.array(item).meta({ description })

/** A page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) => z.object({ data: itemsOf(item), pagination })
