import * as z from 'zod'
import {
  AGENT_CLASSES,
  AGENT_STATUSES,
  KYC_STATUSES,
  OPERATOR_STATUSES,
  OWNERSHIP_STATUSES,
  SHOWN_PLATFORM_STATES,
} from '../db/enums.ts'
import { AGENT_NAME_EXAMPLE, DOMAIN_EXAMPLE, ID_EXAMPLE, SLUG_EXAMPLE } from './fields.ts'
import { CLAIM, count, timeOrNull, timestamp, withheld } from './responses.ts'

export const CLASS_MEANING = { A: 'autonomous', S: 'semi-autonomous', H: 'human-assisted' } as const
export const CLASSES = AGENT_CLASSES.map((letter) => `${letter}: ${CLASS_MEANING[letter]}`).join(', ')

/** Fields of an agent, which the responses that show it have in common. */
export const agentName = z.string().meta({ description: CLAIM, example: AGENT_NAME_EXAMPLE })
export const agentClass = z.enum(AGENT_CLASSES).meta({ description: CLAIM })
export const agentStatus = z
  .enum(AGENT_STATUSES)
  .meta({ description: 'Status of the agent; a deactivation is permanent' })
export const nameChangedAt = timeOrNull('When the name last changed; null if never')
export const registeredAt = timestamp.meta({ description: 'Time of the registration' })
export const lastActiveAt = timeOrNull('Time of the last event; null if none')
export const tasksCompleted = count(245, 'Number of completed tasks')

export const agentCounters = {
  tasks_completed: tasksCompleted,
  tasks_failed: count(5, 'Number of failed tasks'),
  incident_count: count(0, 'Number of incidents, including resolved ones'),
}

export const agentScore = {
  trust_score_overall: z.string().nullable().meta({
    description:
      'Overall trust score from 0.0 to 100.0, with one decimal place; null if the agent has no score',
    example: '94.2',
  }),
  trust_score_updated: timeOrNull(
    'Time at which `trust_score_overall` took this value: that of the event that changed it, or the start of the UTC day if it changed because its window moved; null if the agent has no score',
  ),
}

export const agentDomain = {
  ownership_status: z.enum(OWNERSHIP_STATUSES).meta({
    description: '`verified`: the operator controls `domain`, which is checked again every week',
    example: 'verified',
  }),
  domain: z.string().nullable().meta({
    description: 'Verified domain of the agent, in punycode; null unless `ownership_status` is `verified`',
    example: DOMAIN_EXAMPLE,
  }),
}

/** Each description says what was verified and what was not. */
export const agentOperator = {
  operator_id: z.uuid().meta({
    description:
      'ID of the operator: permanent, public, and the same on all of its agents, so it links them permanently',
    example: ID_EXAMPLE,
  }),
  operator_name: z.string().meta({
    description: 'Stated by the operator; not checked unless the name is marked as verified',
    example: 'Alice Smith',
  }),
  operator_name_verified: z.boolean().meta({
    description:
      'True if an identity document checked for this account shows exactly this name. False means only that no checked document shows it, not that the name is wrong',
    example: true,
  }),
  operator_kyc_status: z.enum(KYC_STATUSES).meta({
    description:
      '`verified`: Stripe Identity checked an identity document of a person behind this account within the last 365 days. This does not confirm who the person is, the operator name, or a company',
    example: 'verified',
  }),
  operator_status: z.enum(OPERATOR_STATUSES).meta({
    description:
      '`suspended`: the credentials of this operator are accepted only for public reads; its agents remain public, but its texts are withheld',
    example: 'active',
  }),
  withheld,
}

const platformText = (what: string) =>
  `${what} of the platform of the agent; null if none. The operator states that the agent is on it; this is not confirmed unless \`platform_state\` is \`confirmed\``
const STATE = {
  description:
    '`claimed`: stated by the operator of the agent; `confirmed`: also confirmed by the platform; `retired`: the platform is retired',
  example: 'claimed' as const,
}

/** All null without a platform. */
export const agentPlatform = {
  platform_name: z
    .string()
    .nullable()
    .meta({ description: platformText('Name'), example: 'Acme Market' }),
  platform_slug: z
    .string()
    .nullable()
    .meta({ description: platformText('Slug'), example: SLUG_EXAMPLE }),
  platform_state: z.enum(SHOWN_PLATFORM_STATES).nullable().meta(STATE),
}

/** `platform_state` of an agent that is known to be on a platform. */
export const memberState = z.enum(SHOWN_PLATFORM_STATES).meta(STATE)
