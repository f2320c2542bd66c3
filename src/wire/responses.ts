import * as z from 'zod'
import {
  AGENT_CLASSES,
  KYC_STATUSES,
  OPERATOR_STATUSES,
  OWNERSHIP_STATUSES,
  REDACTION_REASONS,
  REPORTERS,
  SHOWN_PLATFORM_STATES,
  SOURCES,
  type Source,
} from '../db/enums.ts'
import { AGENT_NAME_EXAMPLE, DOMAIN_EXAMPLE, ID_EXAMPLE, REG_EXAMPLE, SLUG_EXAMPLE } from './fields.ts'
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

export const agentName = z.string().meta({ description: CLAIM, example: AGENT_NAME_EXAMPLE })
export const agentClass = z.enum(AGENT_CLASSES).meta({ description: CLAIM })

/** The overall trust score in every response that shows an agent. */
export const overallScore = z.string().nullable().meta({
  description:
    'Overall trust score from 0.0 to 100.0, with one decimal place; null if the agent has no score',
  example: '94.2',
})

export const ownershipStatus = z.enum(OWNERSHIP_STATUSES).meta({
  description: '`verified`: the operator controls `domain`, which is checked again every week',
  example: 'verified',
})

export const verifiedDomain = z.string().nullable().meta({
  description: 'Verified domain of the agent, in punycode; null unless `ownership_status` is `verified`',
  example: DOMAIN_EXAMPLE,
})

export const recordId = z.uuid().meta({ description: 'ID of the record', example: ID_EXAMPLE })

/** The fields of an operator wherever it is shown. Each description says what was verified and what was not. */
export const operatorId = z.uuid().meta({
  description:
    'ID of the operator: permanent, public, and the same on all of its agents, so it links them permanently',
  example: ID_EXAMPLE,
})
export const operatorName = z.string().meta({
  description: 'Stated by the operator; not checked unless the name is marked as verified',
  example: 'Alice Smith',
})
export const nameVerified = z.boolean().meta({
  description:
    'True if an identity document checked for this account shows exactly this name. False means only that no checked document shows it, not that the name is wrong',
  example: true,
})
export const kycStatus = z.enum(KYC_STATUSES).meta({
  description:
    '`verified`: Stripe Identity checked an identity document of a person behind this account within the last 365 days. This does not confirm who the person is, the operator name, or a company',
  example: 'verified',
})
export const operatorStatus = z.enum(OPERATOR_STATUSES).meta({
  description:
    '`suspended`: the credentials of this operator are accepted only for public reads; its agents remain public, but its texts are withheld',
  example: 'active',
})

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
  timestamp.nullable().meta({
    description: `When the registry withheld the texts of the ${of} from everyone else; null while they are shown`,
    example: null,
  })

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

export const scoreUpdated = timestamp.nullable().meta({
  description:
    'Time at which `trust_score_overall` took this value: that of the event that changed it, or the start of the UTC day if it changed because its window moved; null if the agent has no score',
})

export const nameChangedAt = timestamp
  .nullable()
  .meta({ description: 'When the name last changed; null if never' })

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

const platformText = (what: string) =>
  `${what} of the platform of the agent; null if none. The operator states that the agent is on it; this is not confirmed unless \`platform_state\` is \`confirmed\``
const STATE = {
  description:
    '`claimed`: stated by the operator of the agent; `confirmed`: also confirmed by the platform; `retired`: the platform is retired',
  example: 'claimed' as const,
}

/** The platform of an agent wherever it is shown; all null without a platform. */
export const platformName = z
  .string()
  .nullable()
  .meta({ description: platformText('Name'), example: 'Acme Market' })
export const platformSlug = z
  .string()
  .nullable()
  .meta({ description: platformText('Slug'), example: SLUG_EXAMPLE })
export const platformState = z.enum(SHOWN_PLATFORM_STATES).nullable().meta(STATE)

/** `platformState` of an agent that is known to be on a platform. */
export const memberState = z.enum(SHOWN_PLATFORM_STATES).meta(STATE)
