import * as z from 'zod'
import {
  AGENT_CLASSES,
  KYC_STATUSES,
  OPERATOR_STATUSES,
  OWNERSHIP_STATUSES,
  REDACTION_REASONS,
  SHOWN_PLATFORM_STATES,
  type Source,
} from '../db/enums.ts'
import { AGENT_NAME_EXAMPLE, DOMAIN_EXAMPLE, ID_EXAMPLE, REG_EXAMPLE, SLUG_EXAMPLE } from './fields.ts'

/** An agent number in an answer. */
export const regNumber = z.string().meta({ example: REG_EXAMPLE })

/** How the document marks what a record says of itself. */
export const CLAIM = 'What its operator says; not checked'
/** Whose word a report is, by its source. */
export const SOURCE_MEANING: Record<Source, string> = {
  self: "that of the agent's operator, or of whoever may be the same person",
  peer: 'that of a platform of another operator, when identity checks have told that two different persons stand behind the two',
  independent:
    'that of such a platform with which several verified operators have worked, and which is not distrusted',
}

/** What an agent is called, and what it says that it is. */
export const agentName = z.string().meta({ description: CLAIM, example: AGENT_NAME_EXAMPLE })
export const agentClass = z.enum(AGENT_CLASSES).meta({ description: CLAIM })

/** The trust score of an agent, wherever the agent is shown. */
export const overallScore = z.string().nullable().meta({ example: '94.2' })

/** Whether an agent has a proved domain. */
export const ownershipStatus = z.enum(OWNERSHIP_STATUSES).meta({
  description: 'verified: the operator has proved that it holds `domain`; looked up again every week',
  example: 'verified',
})

/** The domain of an agent. */
export const provedDomain = z.string().nullable().meta({
  description:
    'The domain that the operator has proved to hold, in punycode; null unless `ownership_status` is `verified`',
  example: DOMAIN_EXAMPLE,
})

/** The UUID of a record in an answer. */
export const recordId = z.uuid().meta({ example: ID_EXAMPLE })

/** What is said of an operator wherever it is shown: each description tells what was checked, and what was not. */
export const operatorId = z.uuid().meta({
  description: 'Permanent and public: the same on all agents of an operator, which it links for good',
  example: ID_EXAMPLE,
})
export const operatorName = z.string().meta({
  description: 'What the operator calls itself: a claim, unless its name is verified',
  example: 'Alice Smith',
})
export const nameVerified = z.boolean().meta({
  description:
    'True when an identity document that a person behind this account has shown bears this very name. False says that this was not found, not that the name is wrong',
  example: true,
})
export const kycStatus = z.enum(KYC_STATUSES).meta({
  description:
    '`verified`: a person behind this account showed an identity document to Stripe Identity within the last 365 days. Nothing is said of who that is, nor of the name, nor of a company',
  example: 'verified',
})
export const operatorStatus = z.enum(OPERATOR_STATUSES).meta({
  description: '`suspended`: the service refuses this operator; its agents stay public',
  example: 'active',
})

/** How many there are of something, in an answer. */
export const count = (example: number, description?: string) =>
  z
    .number()
    .int()
    .meta({ example, ...(description && { description }) })

/** A point in time in an answer. */
export const timestamp = z.iso.datetime().meta({ example: '2026-11-21T10:00:00.000Z' })

/** When the name of an agent last changed. */
export const nameChangedAt = timestamp
  .nullable()
  .meta({ description: 'The last change of the name; null if never' })

/** That what an event said was taken down. */
export const redaction = z
  .object({ at: timestamp, reason: z.enum(REDACTION_REASONS) })
  .meta({ id: 'Redaction', description: 'Only where the metadata of the event were taken down' })

/** What a paginated answer tells of itself. */
export const pagination = z
  .object({
    page: count(1),
    per_page: count(20),
    total: count(1, 'Items on all pages together'),
    total_pages: count(1),
  })
  .meta({ id: 'Pagination' })

/** A page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) => z.object({ data: z.array(item), pagination })

const PLATFORM = "The operator's claim, unless `platform_state` is `confirmed`"
const STATE = {
  description:
    'claimed: the operator of the agent says that it is on the platform. confirmed: the platform says so too. retired: the platform is no more',
  example: 'claimed' as const,
}

/** An agent's platform, wherever it is shown; all null without one. */
export const platformName = z.string().nullable().meta({ description: PLATFORM, example: 'Acme Market' })
export const platformSlug = z.string().nullable().meta({ description: PLATFORM, example: SLUG_EXAMPLE })
export const platformState = z.enum(SHOWN_PLATFORM_STATES).nullable().meta(STATE)

/** The same of an agent that is on a platform. */
export const memberState = z.enum(SHOWN_PLATFORM_STATES).meta(STATE)
