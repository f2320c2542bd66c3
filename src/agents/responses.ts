import * as z from 'zod'
import { describeRoutes, json } from '../api/responses.ts'
import {
  agentClass,
  agentCounters,
  agentDomain,
  agentName,
  agentOperator,
  agentPlatform,
  agentScore,
  agentStatus,
  CLASSES,
  lastActiveAt,
  nameChangedAt,
  registeredAt,
} from '../wire/agent-fields.ts'
import { AGENT_NAME_EXAMPLE, ID_EXAMPLE, REG_EXAMPLE } from '../wire/fields.ts'
import { CLAIM, count, pageOf, recordId, regNumber, textsWithheldAt, timeOrNull } from '../wire/responses.ts'
import { HIDDEN_REASONS } from './links.ts'
import { CARD_EXAMPLE, DESCRIPTION_EXAMPLE, HOMEPAGE_EXAMPLE, SPECIALIZATIONS_EXAMPLE } from './schema.ts'

const LINK = 'Stated by the operator; the registry does not check the page'
const PUBLIC_LINK = `${LINK}. Null unless its host is \`domain\` or a subdomain of it`

const shared = {
  reg: regNumber,
  name: agentName,
  description: z.string().meta({ description: CLAIM, example: DESCRIPTION_EXAMPLE }),
  class: agentClass.meta({ description: `${CLASSES}. ${CLAIM}` }),
  status: agentStatus,
  ...agentDomain,
  homepage_url: z.string().nullable().meta({ description: LINK, example: HOMEPAGE_EXAMPLE }),
  card_url: z.string().nullable().meta({ description: LINK, example: CARD_EXAMPLE }),
  specializations: z.array(z.string()).meta({ description: CLAIM, example: SPECIALIZATIONS_EXAMPLE }),
  ...agentCounters,
  ...agentScore,
  registered_at: registeredAt,
}

const platform = {
  ...agentPlatform,
  platform_leaves_at: timeOrNull(
    'When the agent leaves its platform, as requested by its operator; null if it stays',
    null,
  ),
}

const hidden = z.enum(HIDDEN_REASONS).optional().meta({ description: 'Why the link is not public' })

export const agentCreated = z
  .object({
    id: recordId,
    ...shared,
    hidden_links: z.object({ homepage_url: hidden, card_url: hidden }).meta({
      description:
        'Links that only you can see, and why: `no_domain`: the agent has no verified domain; `other_domain`: the host is neither the verified domain nor a subdomain of it',
      example: { card_url: 'other_domain' },
    }),
    texts_withheld_at: textsWithheldAt('agent'),
    ...platform,
    next_platform_slug: z.string().nullable().meta({
      description: 'Slug of the platform that the agent joins when it leaves; null if none',
      example: null,
    }),
  })
  .meta({ id: 'Agent', description: 'Agent, as shown to its operator' })

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
  hidden_links: { homepage_url: 'no_domain' },
  texts_withheld_at: null,
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
  trust_score_updated: null,
  registered_at: '2026-11-21T10:00:00.000Z',
}

const agentProfile = z
  .object({
    ...shared,
    name_changed_at: nameChangedAt,
    homepage_url: shared.homepage_url.meta({ description: PUBLIC_LINK, example: HOMEPAGE_EXAMPLE }),
    card_url: shared.card_url.meta({ description: PUBLIC_LINK, example: CARD_EXAMPLE }),
    ownership_verified_at: timeOrNull('Time at which `domain` was verified; null if none'),
    success_rate: z.string().nullable().meta({
      description: 'Percentage of tasks that were completed; null if there are none',
      example: '98.00',
    }),
    avg_response_ms: count(840)
      .nullable()
      .meta({ description: 'Mean response time of tasks in milliseconds; null if none was reported' }),
    last_active_at: lastActiveAt,
    ...agentOperator,
    ...platform,
    platform_since: timeOrNull('When the agent joined its platform; null if it is on none'),
  })
  .meta({ id: 'AgentProfile', description: 'Public profile of an agent' })

export type AgentCreated = z.infer<typeof agentCreated>

export type AgentProfile = z.infer<typeof agentProfile>

const searchItem = z
  .object({
    reg: shared.reg,
    name: shared.name,
    class: shared.class,
    status: shared.status,
    trust_score_overall: shared.trust_score_overall,
    tasks_completed: shared.tasks_completed,
    operator_name: agentOperator.operator_name.meta({
      description:
        'Stated by the operator; `operator_name_verified` of the profile shows whether it was checked',
      example: 'Alice Smith',
    }),
  })
  .meta({ id: 'SearchItem', description: 'Agent, as shown in search results' })

export type SearchItem = z.infer<typeof searchItem>

const searchPage = pageOf(searchItem).meta({ id: 'SearchPage', description: 'Page of search results' })

export const responses = describeRoutes('Agents', {
  registerAgent: {
    summary: 'Register an agent',
    description:
      'The agent receives a permanent agent number, which is never assigned to another agent. The public profile shows `operator_id`, which permanently links all agents of an operator, so use an account that may be publicly associated with all of them. To retry safely, send an `Idempotency-Key`. On your own platform, the agent is `confirmed` immediately; on another platform, it is `claimed` until the platform confirms it. The endpoint returns 409 if the platform does not accept agents because it is retired or its operator is suspended, and 429 if the daily quota of registrations is used up; deactivating an agent does not free that quota.',
    responses: { 201: json(agentCreated, 'The registered agent', FRESH_AGENT) },
    errors: ['NOT_FOUND', 'AGENT_LIMIT_REACHED', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  },
  updateAgent: {
    summary: 'Update an agent, move it to another platform, or deactivate it permanently',
    description:
      'Deactivation is permanent: the agent accepts no more events and no longer counts toward the agent limit of the tier. `platform_slug` moves the agent to another platform. An agent on no platform, on a retired one, or on one that is not established moves immediately. It leaves an established platform after 7 days (`platform_leaves_at`); until then, its current platform can report on it, and setting `platform_slug` to the current platform cancels the move. The endpoint returns 409 if the new platform is retired, its operator is suspended, or it removed the agent within the last 30 days; this is checked again when the agent arrives.',
    responses: { 200: json(agentCreated, 'The updated agent') },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'AGENT_DEACTIVATED'],
  },
  searchAgents: {
    summary: 'Search agents',
    description:
      'With `q`, results are sorted by relevance, then by trust score. Without `q`, they are sorted by trust score, then newest first. Deactivated agents come last. At most 10,000 results are counted and listed.',
    responses: {
      200: json(searchPage, 'A page of agents'),
    },
  },
  getAgent: {
    summary: 'Get the public profile of an agent',
    description:
      'Deactivated agents keep their profile. The descriptions of the fields state which were verified and which are only stated by the operator.',
    responses: { 200: json(agentProfile, 'The profile') },
    errors: ['NOT_FOUND'],
  },
})
