import * as z from 'zod'
import { type Answers, json } from '../api/answers.ts'
import { AGENT_STATUSES } from '../db/enums.ts'
import {
  agentClass,
  agentName,
  CLAIM,
  count,
  kycStatus,
  nameChangedAt,
  nameVerified,
  operatorId,
  operatorName,
  operatorStatus,
  overallScore,
  ownershipStatus,
  pageOf,
  platformName,
  platformSlug,
  platformState,
  provedDomain,
  recordId,
  regNumber,
  timestamp,
} from '../wire/answers.ts'
import { AGENT_NAME_EXAMPLE, ID_EXAMPLE, REG_EXAMPLE } from '../wire/fields.ts'
import { HIDDEN_REASONS } from './links.ts'
import {
  CARD_EXAMPLE,
  CLASSES,
  DESCRIPTION_EXAMPLE,
  HOMEPAGE_EXAMPLE,
  SPECIALIZATIONS_EXAMPLE,
} from './schema.ts'

const LINK = 'What its operator says; what stands there was never looked at'
const PUBLIC_LINK = `${LINK}. Shown while its host is \`domain\` or below it, else null`

const shared = {
  reg: regNumber,
  name: agentName,
  description: z.string().meta({ description: CLAIM, example: DESCRIPTION_EXAMPLE }),
  class: agentClass.meta({ description: `${CLASSES}; ${CLAIM.toLowerCase()}` }),
  status: z.enum(AGENT_STATUSES),
  ownership_status: ownershipStatus,
  domain: provedDomain,
  homepage_url: z.string().nullable().meta({ description: LINK, example: HOMEPAGE_EXAMPLE }),
  card_url: z.string().nullable().meta({ description: LINK, example: CARD_EXAMPLE }),
  specializations: z.array(z.string()).meta({ description: CLAIM, example: SPECIALIZATIONS_EXAMPLE }),
  tasks_completed: count(245),
  tasks_failed: count(5),
  incident_count: count(0),
  trust_score_overall: overallScore,
  registered_at: timestamp,
}

const platform = {
  platform_name: platformName,
  platform_slug: platformSlug,
  platform_state: platformState,
  platform_leaves_at: timestamp
    .nullable()
    .meta({ description: 'When the agent leaves its platform, as its operator has asked', example: null }),
}

const hidden = z.enum(HIDDEN_REASONS).optional()

/** The creation form of an agent. */
export const agentCreated = z
  .object({
    id: recordId,
    ...shared,
    not_public: z.object({ homepage_url: hidden, card_url: hidden }).meta({
      description:
        'Which links nobody but you sees, and why: `no_domain` (none is proved), `other_domain` (the host is neither the proved domain nor below it)',
      example: { card_url: 'other_domain' },
    }),
    ...platform,
    next_platform_slug: z
      .string()
      .nullable()
      .meta({ description: 'Where it goes when it leaves; null: nowhere', example: null }),
  })
  .meta({ id: 'Agent' })

/** An agent at the moment of its registration. */
const FRESH_AGENT: AgentCreated = {
  id: ID_EXAMPLE,
  reg: REG_EXAMPLE,
  name: AGENT_NAME_EXAMPLE,
  description: DESCRIPTION_EXAMPLE,
  class: 'A',
  status: 'active',
  ownership_status: 'unverified',
  domain: null,
  homepage_url: HOMEPAGE_EXAMPLE,
  card_url: null,
  not_public: { homepage_url: 'no_domain' },
  platform_name: 'Acme Market',
  platform_slug: 'acme-market',
  platform_state: 'claimed',
  platform_leaves_at: null,
  next_platform_slug: null,
  specializations: SPECIALIZATIONS_EXAMPLE,
  tasks_completed: 0,
  tasks_failed: 0,
  incident_count: 0,
  trust_score_overall: null,
  registered_at: '2026-11-21T10:00:00.000Z',
}

/** The public profile of an agent. */
const agentProfile = z
  .object({
    ...shared,
    name_changed_at: nameChangedAt,
    homepage_url: shared.homepage_url.meta({ description: PUBLIC_LINK, example: HOMEPAGE_EXAMPLE }),
    card_url: shared.card_url.meta({ description: PUBLIC_LINK, example: CARD_EXAMPLE }),
    ownership_verified_at: timestamp.nullable(),
    success_rate: z.string().nullable().meta({ description: 'Percent of all tasks', example: '98.00' }),
    avg_response_ms: count(840).nullable(),
    trust_score_updated: timestamp.nullable(),
    last_active_at: timestamp.nullable(),
    operator_id: operatorId,
    operator_name: operatorName,
    operator_name_verified: nameVerified,
    operator_kyc_status: kycStatus,
    operator_status: operatorStatus,
    ...platform,
    platform_since: timestamp.nullable().meta({ description: 'When the agent joined its platform' }),
  })
  .meta({ id: 'AgentProfile' })

export type AgentCreated = z.infer<typeof agentCreated>

export type AgentProfile = z.infer<typeof agentProfile>

/** An agent as search results show it. */
const searchItem = z
  .object({
    reg: shared.reg,
    name: shared.name,
    class: shared.class,
    status: shared.status,
    trust_score_overall: shared.trust_score_overall,
    tasks_completed: shared.tasks_completed,
    operator_name: operatorName,
  })
  .meta({ id: 'SearchItem' })

export type SearchItem = z.infer<typeof searchItem>

/** What the document says of these routes, and what they answer. */
export const answers = {
  registerAgent: {
    tag: 'Agents',
    summary: 'Register an agent; it receives a permanent number',
    description:
      'The number is never given to another agent, and the profile shows `operator_id`, which links all agents of an operator in public, permanently: register under an account that may be known to answer for all of them. With an `Idempotency-Key` a repeated call registers nothing twice. On a platform of your own the agent is `confirmed` at once, on another it is `claimed` until the platform confirms it. 409 when the platform takes no agents: it is retired, or its operator is suspended. A tier also has a ceiling of registrations a UTC day, which deactivations do not give back: then 429 until it ends.',
    responses: { 201: json(agentCreated, 'The registered agent', FRESH_AGENT) },
    errors: ['NOT_FOUND', 'AGENT_LIMIT_REACHED', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  },
  updateAgent: {
    tag: 'Agents',
    summary: 'Change texts, links or platform of an agent, or deactivate it permanently',
    description:
      'Deactivation is final: the agent takes no more events and no longer counts towards the limit of the tier. `platform_slug` moves the agent: at once when it is on no platform, or on a retired one; else it leaves after 7 days (`platform_leaves_at`), and until then its platform reports as before. The platform that it is on cancels that. Whether the other platform takes it is judged now and again when it leaves: 409 when that is retired, its operator is suspended, or it has removed the agent in the last 30 days.',
    responses: { 200: json(agentCreated, 'The changed agent') },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'AGENT_DEACTIVATED'],
  },
  searchAgents: {
    tag: 'Agents',
    summary: 'Search agents by text and filters',
    description:
      'With `q`: best match first, then by trust. Without: by trust, then newest first. Deactivated agents come last. Up to 10,000 results are counted and can be paged through.',
    responses: {
      200: json(pageOf(searchItem), 'A page of agents, best first'),
    },
  },
  getAgent: {
    tag: 'Agents',
    summary: 'The public profile of an agent',
    responses: { 200: json(agentProfile, 'The profile') },
    errors: ['NOT_FOUND'],
  },
} satisfies Answers
