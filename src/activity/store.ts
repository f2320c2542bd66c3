import { type SQL, sql } from 'drizzle-orm'
import { belongsTo } from '../agents/owner-store.ts'
import type { Db } from '../db/client.ts'
import { wireTime } from '../db/wire-time.ts'
import type { Actor } from '../http/context.ts'
import { once, type Prior, type Repeatable, runOnce } from '../idempotency/store.ts'
import { incidentAlerts } from '../incidents/alert-store.ts'
import { incidentTexts, type OpenedIncident } from '../incidents/opened.ts'
import { toIso } from '../lib/wire.ts'
import { type LifecycleBatch, lifecycleOf, MAX_INTERVAL_SECONDS } from '../trust/lifecycle.ts'
import { eventDelta, type RollupDelta } from '../trust/rollup.ts'
import type { EventData } from '../webhooks/event-types.ts'
import { OUTBOX, PENDING, type Publication } from '../webhooks/store.ts'
import type { ActivityEvent, EventInput } from './schema.ts'

/** An event to be stored; `incident` says what to open and tell when its type is `incident`. */
export interface NewEvent extends EventInput {
  id: string
  reported_by: ActivityEvent['reported_by']
  incident: OpenedIncident | null
  now: Date
  repeatable: Repeatable | null
}

/** What became of an event: stored, or why not. */
export type Stored =
  | { outcome: 'stored'; agent_id: string; created_at: string; deliveries: Publication[] | null }
  | { outcome: 'repeated'; prior: Prior }
  | { outcome: 'unknown_agent' | 'foreign_agent' | 'deactivated' }

type Row = {
  prior: Prior | null
  agent_id: string | null
  owned: boolean | null
  created_at: string | null
  deliveries: Publication[] | null
}

/**
 * Appends an event to the log of an agent of this operator or platform, and with it moves the agent's counters and the rollup
 * row of the day, opens the incident and fills the outbox. One statement; the parts that an event does not need are
 * not in it. The agent's row is locked by its update, so that `seq` has no gaps and `created_at` never goes back.
 */
export async function appendEvent(db: Db, actor: Actor, event: NewEvent): Promise<Stored> {
  const { id, event_type, severity, metadata, reported_by, incident, now } = event
  const delta = eventDelta(event)
  const lifecycle = lifecycleOf([event])
  const at = sql`${now.toISOString()}::timestamptz`
  const { first, unseen, keep, prior } = once(event.repeatable, keptAnswer(event))
  const row = await runOnce<Row>(
    db,
    event.repeatable,
    sql`
    with ${first} agent as (
      select id, operator_id, platform_id, reg, ${belongsTo(actor, sql`agents`)} as owned
      from agents where reg = ${event.reg}
    ), ${lifecycle ? PREVIOUS_LIFECYCLE : sql``} stats as (
      update agent_stats s set events = s.events + 1, last_active_at = greatest(s.last_active_at, ${at}),
        unscored_since = coalesce(s.unscored_since, ${at}) ${counterMoves(delta, incident !== null)}
        ${lifecycle ? lifecycleMoves(lifecycle, at) : sql``}
      from ${lifecycle ? sql`previous` : sql`agent`} a
      where s.agent_id = a.id and a.owned and not s.deactivated and ${unseen}
      returning s.agent_id, s.events as seq, s.last_active_at as created_at
        ${lifecycle ? intervals() : sql``}
    ), logged as (
      insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
      select ${id}::uuid, agent_id, seq, ${event_type}, ${severity}, ${JSON.stringify(metadata)}::jsonb,
        ${reported_by}, created_at from stats
    ), daily as (
      ${rollup(delta, lifecycle !== null, actor)}
    ) ${incident ? incidentParts(event, incident) : sql``} ${keep}
    select ${prior} as prior, agent.id as agent_id, agent.owned, stats.created_at,
      ${incident ? PENDING : sql`null::jsonb`} as deliveries
    from (values (1)) one left join agent on true left join stats on true`,
  )
  return toStored(row)
}

/** The answer to a stored event, for its repeats. */
function keptAnswer({ id, event_type, severity, metadata, reported_by }: NewEvent): SQL {
  const known = JSON.stringify({ id, event_type, severity, metadata, reported_by })
  return sql`select ${known}::jsonb || jsonb_build_object('agent_id', agent_id, 'created_at',
    ${wireTime(sql`created_at`)}) as answer from stats`
}

function toStored(row: Row | undefined): Stored {
  if (row?.prior) return { outcome: 'repeated', prior: row.prior }
  if (!row?.agent_id) return { outcome: 'unknown_agent' }
  if (!row.owned) return { outcome: 'foreign_agent' }
  if (row.created_at === null) return { outcome: 'deactivated' }
  return {
    outcome: 'stored',
    agent_id: row.agent_id,
    created_at: toIso(row.created_at),
    deliveries: row.deliveries,
  }
}

/** The counters of an agent that an event moves, as further assignments of the update. */
function counterMoves(delta: RollupDelta, opensIncident: boolean): SQL {
  const moves: SQL[] = []
  const add = (column: string, amount: number) => {
    if (amount > 0)
      moves.push(sql`, ${sql.identifier(column)} = s.${sql.identifier(column)} + ${amount}::bigint`)
  }
  add('tasks_completed', delta.completed)
  add('tasks_failed', delta.failed)
  add('response_count', delta.latency_count)
  add('response_ms', delta.latency_ms)
  add('incident_count', Number(opensIncident))
  add('open_incident_count', Number(opensIncident))
  return sql.join(moves)
}

/** The agent's row before the event, locked: an interval ends at the event and began at what is stored here. */
const PREVIOUS_LIFECYCLE: SQL = sql`previous as materialized (
      select agent.*, p.lifecycle_state, p.lifecycle_since
      from agent join agent_stats p on p.agent_id = agent.id
      where agent.owned for no key update of p
    ), `

/** Further assignments of the update for a startup or shutdown; the cases are those of `lifecycleOf`. */
function lifecycleMoves({ has_startup, has_shutdown, end_state }: LifecycleBatch, at: SQL): SQL {
  const moved = sql`case a.lifecycle_state when 'up' then ${has_shutdown}::boolean
    when 'down' then ${has_startup}::boolean when 'failed' then ${has_startup}::boolean else true end`
  return sql`, lifecycle_state = case when ${moved} then ${end_state} else s.lifecycle_state end,
    lifecycle_since = case when ${moved} then greatest(s.last_active_at, ${at}) else s.lifecycle_since end`
}

function intervals(): SQL {
  const seconds = sql`least(${MAX_INTERVAL_SECONDS}::bigint,
    greatest(0, floor(extract(epoch from s.lifecycle_since - a.lifecycle_since))))::bigint`
  return sql`, case when a.lifecycle_state = 'up' then ${seconds} else 0 end as up_seconds,
    case when a.lifecycle_state = 'failed' then ${seconds} else 0 end as down_seconds`
}

/** Adds to the rollup row of the event's UTC day; only the fields that the event moves are named. */
function rollup(delta: RollupDelta, withIntervals: boolean, { operator_id, platform_id }: Actor): SQL {
  const moved = Object.entries(delta).filter(([, amount]) => amount > 0)
  const names = moved.map(([field]) => field)
  const values = moved.map(([, amount]) => sql`${amount}::bigint`)
  if (withIntervals) {
    names.push('up_seconds', 'down_seconds')
    values.push(sql`up_seconds`, sql`down_seconds`)
  }
  if (platform_id) {
    names.push('platform_events')
    values.push(sql`(agent.operator_id <> ${operator_id}::uuid)::integer`)
  }
  const columns = names.map((name) => sql.identifier(name))
  const sums = columns.map((column) => sql`${column} = d.${column} + excluded.${column}`)
  const list = (parts: readonly (SQL | (typeof columns)[number])[]) => sql.join([...parts], sql`, `)
  return sql`insert into agent_daily as d (agent_id, day, ${list(columns)})
      select agent_id, (created_at at time zone 'utc')::date, ${list(values)}
      from stats ${platform_id ? sql`join agent on agent.id = agent_id` : sql``}
      on conflict (agent_id, day) do update set ${list(sums)}`
}

/** Opens the incident, and tells the agent's operator and platform of it. */
function incidentParts(event: NewEvent, { id, event: head }: OpenedIncident): SQL {
  const { title, description } = incidentTexts(event)
  const data = JSON.stringify({
    incident_id: id,
    reg: event.reg,
    title,
    severity: event.severity,
    status: 'open',
    description,
  } satisfies EventData<'incident.created'>)
  return sql`, opened as (
      insert into incidents (id, agent_id, event_id, title, description, severity, created_at)
      select ${id}::uuid, agent_id, ${event.id}::uuid, ${title}, ${description}, ${event.severity}, created_at
      from stats returning agent_id, title, severity, description
    ), opened_of as (
      select opened.*, agent.operator_id, agent.reg from opened join agent on agent.id = opened.agent_id
    ), ${incidentAlerts(sql`opened_of`, event.now)}, news as (
      select ${head.event_id}::text as event_id, ${head.delivery_id}::uuid as delivery_id, agent.platform_id,
        ${head.type}::text as type, stats.created_at, ${data}::jsonb as data
      from stats join agent on agent.id = stats.agent_id where agent.platform_id is not null
    ), ${OUTBOX}`
}
