import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { rejectedWith } from '../db/errors.ts'
import { agent_stats, agents, type operators } from '../db/schema.ts'
import { jsonb, textArray, timestamptz } from '../db/sql.ts'
import { quotaOf } from '../db/tiers.ts'
import { once, type Prior, type Repeatable, runOnce } from '../idempotency/store.ts'
import { NUMBER_SLOTS } from '../lib/agent-number.ts'
import { utcDay } from '../lib/time.ts'
import type { ScoreBasis } from '../trust/basis.ts'
import { ALGORITHM_VERSION } from '../trust/score.ts'
import type { EventHead } from '../webhooks/outbox/events.ts'
import { eventColumns, type Publication, toOutbox } from '../webhooks/outbox/store.ts'
import { notPublic } from './links.ts'
import type { Membership, Rejection } from './membership.ts'
import { closedTo, joiningState, shownMembership, targets } from './membership-store.ts'
import type { AgentCreated } from './responses.ts'
import type { AgentInput } from './schema.ts'

const NO_PLATFORM = {
  reg: '',
  platform_name: null,
  platform_slug: null,
  platform_state: null,
  platform_leaves_at: null,
  next_platform_slug: null,
}

const NUMBERS_USED_UP = '54000' // program_limit_exceeded, raised by agent_number

export interface Registration extends AgentInput {
  id: string
  operator_id: string
  event: EventHead
  now: Date
  repeatable: Repeatable | null
}

export type Registered = {
  /** The first response if this request is repeated; then nothing was stored. */
  prior: Prior | null
  /** Why the platform rejects the agent. */
  rejection: Rejection | null
  /** Null if nothing was stored: the platform rejects the agent, or a quota is used up. */
  agent: ({ reg: string } & Membership) | null
  agent_limit: Operator['agent_limit']
  /** Whether the operator had fewer active agents than `agent_limit`. */
  has_room: boolean
  /** How many agents the operator may register per UTC day. */
  quota: number
  deliveries: Publication[] | null
}

/**
 * Registers an agent: counts it against the quotas of the operator, allocates the next number of one of the year's
 * eight slots, and stores the agent with its webhook event, all in one statement.
 *
 * @returns the number, or the facts that explain why there is none; null if the year has no number left
 */
export async function registerAgent(db: Db, agent: Registration): Promise<Registered | null> {
  const random = crypto.getRandomValues(new Uint8Array(1))[0] ?? 0
  for (let n = 0; n < NUMBER_SLOTS; n++) {
    try {
      return await registerInSlot(db, agent, (random + n) % NUMBER_SLOTS)
    } catch (error) {
      if (!rejectedWith(NUMBERS_USED_UP, error)) throw error
    }
  }
  return null
}

async function registerInSlot(db: Db, agent: Registration, slot: number): Promise<Registered> {
  const { id, operator_id, event, now } = agent
  const slug = agent.platform_slug ?? null
  const response = () =>
    sql`select ${jsonb(registeredResponse(agent, NO_PLATFORM))} || shown as answer from shown`
  const { first, unseen, keep, prior } = once(agent.repeatable, response)
  const today = utcDay(now)
  const outgoing = sql`
      select ${eventColumns(event)}, agent.platform_id, agent.platform_state,
        ${jsonb(registeredData(agent))} || jsonb_build_object('reg', agent.reg, 'operator_name', op.name,
          'operator_name_verified', op.name_verified, 'platform_slug', ${slug}::text,
          'platform_state', agent.platform_state) as data
      from agent, op`
  const { ctes, pending } = toOutbox(outgoing, now)
  const row = await runOnce<Registered>(
    db,
    agent.repeatable,
    sql`
    with ${first} ${targets(sql`p.slug = ${slug}::text`)}, platform as (
      select t.id, ${joiningState(sql`a`, sql`t`)} as state, ${closedTo(sql`t`)} as rejection
      from targets t, (select ${operator_id}::uuid as operator_id) a
    ), held as materialized (
      select id, agent_limit, active_agents < agent_limit as has_room,
        of_today(registrations_day, ${today}::date, registrations)::integer as registered,
        ${quotaOf(sql`tier`, 'registrations_per_day')}::integer as quota
      from operators where id = ${operator_id}::uuid for no key update
    ), op as (
      update operators o set active_agents = o.active_agents + 1,
        registrations_day = greatest(o.registrations_day, ${today}::date),
        registrations = h.registered + 1
      from held h where o.id = h.id and h.has_room and h.registered < h.quota and ${unseen}
        and (${slug}::text is null or exists (select from platform where rejection is null))
      returning o.id, o.name, o.name_verified_at is not null as name_verified
    ), num as (
      insert into number_slots as s (year, slot, block, next)
      select ${now.getUTCFullYear()}::smallint, ${slot}::smallint, ${slot + 1}::integer, 2 from op
      on conflict (year, slot) do update set
        block = case when s.next > 9999 then s.block + ${NUMBER_SLOTS}::integer else s.block end,
        next = case when s.next > 9999 then 2 else s.next + 1 end
      returning year, block, next - 1 as number
    ), agent as (
      insert into agents (id, reg, operator_id, platform_id, platform_state, platform_since, name, description, class,
        homepage_url, card_url, specializations, registered_at)
      select ${id}::uuid, agent_number(num.year, num.block, num.number), op.id, (select id from platform),
        (select state from platform), (select ${timestamptz(now)} from platform), ${agent.name}, ${agent.description}, ${agent.class},
        ${agent.homepage_url ?? null}, ${agent.card_url ?? null}, ${textArray(agent.specializations)}, ${timestamptz(now)}
      from op, num
      returning id, reg, platform_id, platform_state, platform_leaves_at, next_platform_id
    ), stats as (
      insert into agent_stats (agent_id) select id from agent
    ), shown as (
      select jsonb_build_object('reg', a.reg) || ${shownMembership(sql`a`)} as shown from agent a
    ), ${ctes} ${keep}
    select ${prior} as prior, case when ${slug}::text is not null and not exists (select from platform)
        then 'unknown_platform' else (select rejection from platform) end as rejection,
      (select shown from shown) as agent,
      agent_limit, has_room, quota, ${pending} as deliveries
    from held`,
  )
  if (!row) throw new Error('registration returned no row')
  return row
}

/** The fields of a new agent in its webhook event, except for its number and the name of its operator. */
function registeredData(agent: Registration) {
  const {
    name,
    description,
    class: agentClass,
    status,
    ownership_status,
    domain,
    specializations,
    ...fresh
  } = registeredResponse(agent, NO_PLATFORM)
  const { tasks_completed, trust_score_overall, registered_at } = fresh
  return {
    name,
    description,
    class: agentClass,
    status,
    ownership_status,
    domain,
    specializations,
    tasks_completed,
    trust_score_overall,
    registered_at,
  }
}

/** A new agent as its registration returns it. */
export function registeredResponse(
  agent: Omit<Registration, 'event'>,
  stored: { reg: string } & Membership,
): AgentCreated {
  const { id, name, class: agentClass, description, specializations, now } = agent
  const claims = { domain: null, homepage_url: agent.homepage_url ?? null, card_url: agent.card_url ?? null }
  return {
    id,
    ...stored,
    name,
    description,
    class: agentClass,
    status: 'active',
    ownership_status: 'unverified',
    ...claims,
    not_public: notPublic(claims),
    specializations,
    tasks_completed: 0,
    tasks_failed: 0,
    incident_count: 0,
    trust_score_overall: null,
    registered_at: now.toISOString(),
  }
}

/** The columns of an agent in every response that shows it. */
export const AGENT_COLUMNS = {
  reg: agents.reg,
  name: agents.name,
  description: agents.description,
  class: agents.class,
  status: agents.status,
  ownership_status: agents.ownership_status,
  domain: agents.domain,
  homepage_url: agents.homepage_url,
  card_url: agents.card_url,
  specializations: agents.specializations,
  registered_at: agents.registered_at,
}

/** The counters of an agent in every response that shows it. */
export const AGENT_COUNTERS = {
  tasks_completed: agent_stats.tasks_completed,
  tasks_failed: agent_stats.tasks_failed,
  incident_count: agent_stats.incident_count,
}

type Agent = typeof agents.$inferSelect
type Stats = typeof agent_stats.$inferSelect
type Operator = typeof operators.$inferSelect

/** What profile and full verification show, with the basis of the score: the result of the function agent_profile. */
export type FoundAgent = Pick<
  Agent,
  keyof typeof AGENT_COLUMNS | 'name_changed_at' | 'ownership_verified_at' | 'platform_since'
> &
  Pick<
    Stats,
    | keyof typeof AGENT_COUNTERS
    | 'open_incident_count'
    | 'last_active_at'
    | 'trust_score_updated'
    | 'response_count'
    | 'response_ms'
  > & {
    operator_id: Operator['id']
    operator_name: Operator['name']
    operator_name_verified: boolean
    operator_status: Operator['status']
    operator_kyc_status: Operator['kyc_status']
    basis: ScoreBasis
  } & Omit<Membership, 'next_platform_slug'>

/**
 * Finds an agent by its number; null if there is none.
 *
 * @param today the current UTC day `YYYY-MM-DD`
 */
export async function findAgent(db: Db, reg: string, today: string): Promise<FoundAgent | null> {
  const result = await db.execute<{ profile: FoundAgent | null }>(
    sql`select agent_profile(${reg}, ${today}::date, ${ALGORITHM_VERSION}) as profile`,
  )
  return result.rows[0]?.profile ?? null
}
