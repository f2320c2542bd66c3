import { type SQL, sql } from 'drizzle-orm'
import { belongsTo } from '../agents/owner-store.ts'
import type { Db } from '../db/client.ts'
import type { Actor } from '../http/context.ts'
import { once, type Prior, type Repeatable, runOnce } from '../idempotency/store.ts'
import { incidentAlerts } from '../incidents/alert-store.ts'
import { incidentTexts } from '../incidents/opened.ts'
import { toIso } from '../lib/wire.ts'
import { lifecycleOf, MAX_INTERVAL_SECONDS } from '../trust/lifecycle.ts'
import { eventDelta, ROLLUP_FIELDS, sumDeltas } from '../trust/rollup.ts'
import { OUTBOX, PENDING, type Publication } from '../webhooks/store.ts'
import type { BatchFact } from './batch.ts'
import type { NewEvent } from './store.ts'

/** An event of a batch with its place in the request, from 0. */
export type BatchEvent = Omit<NewEvent, 'now' | 'repeatable'> & { position: number }

export interface AppendedBatch {
  /** The first answer's facts, when the request is a repeat. */
  prior: Prior | null
  facts: BatchFact[]
  deliveries: Publication[] | null
}

const list = (parts: readonly SQL[]) => sql.join([...parts], sql`, `)
const column = (name: string) => sql`${sql.identifier(name)}`

/**
 * Appends the events of a batch to the logs of agents of this operator or platform, with all that `appendEvent` moves, in one
 * statement. Either all events of an agent are accepted or none, so what they add is summed up before. The rows of
 * the agents are locked in the order of their ids: batches over the same agents wait for each other, and no two for
 * each other's ends.
 *
 * @param events valid events, in the order of the request
 */
export async function appendBatch(
  db: Db,
  actor: Actor,
  events: readonly BatchEvent[],
  repeatable: Repeatable | null,
  now: Date,
): Promise<AppendedBatch> {
  const { first, unseen, keep, prior } = once(
    repeatable,
    sql`select jsonb_build_object('facts', facts) as answer from outcome`,
  )
  const at = sql`${now.toISOString()}::timestamptz`
  const withIncidents = events.some(({ incident }) => incident !== null)
  const row = await runOnce<{
    prior: Prior | null
    facts: BatchFact[] | null
    deliveries: Publication[] | null
  }>(
    db,
    repeatable,
    sql`
    with ${first} input as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(events.map(toInput))}::jsonb) as i (
        position integer, id uuid, reg text, event_type text, severity text, metadata jsonb, reported_by text, incident_id uuid,
        title text, description text, event_id text, delivery_id uuid, type text) where ${unseen}
    ), sums as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(sumUp(events))}::jsonb) as m (
        reg text, opened integer, has_startup boolean, has_shutdown boolean, end_state text,
        ${list(ROLLUP_FIELDS.map((field) => sql`${column(field)} bigint`))}) where ${unseen}
    ), agent as materialized (
      select a.id, a.reg, a.platform_id, a.operator_id, ${belongsTo(actor, sql`a`)} as owned,
        a.operator_id <> ${actor.operator_id}::uuid as foreign_platform
      from agents a where a.reg in (select reg from sums)
    ), locked as materialized (
      select s.*, agent.reg, agent.platform_id, agent.foreign_platform, greatest(s.last_active_at, ${at}) as created_at
      from agent_stats s join agent on agent.id = s.agent_id
      where agent.owned order by s.agent_id for no key update of s
    ), open as materialized (
      select l.*, case l.lifecycle_state when 'up' then m.has_shutdown when 'down' then m.has_startup
          when 'failed' then m.has_startup else m.has_startup or m.has_shutdown end as moved,
        least(${MAX_INTERVAL_SECONDS}::bigint,
          greatest(0, floor(extract(epoch from l.created_at - l.lifecycle_since))))::bigint as seconds
      from locked l join sums m on m.reg = l.reg where not l.deactivated
    ), stats as (
      update agent_stats s set events = l.events + m.events, last_active_at = l.created_at,
        unscored_since = coalesce(l.unscored_since, ${at}),
        tasks_completed = l.tasks_completed + m.completed, tasks_failed = l.tasks_failed + m.failed,
        response_count = l.response_count + m.latency_count, response_ms = l.response_ms + m.latency_ms,
        incident_count = l.incident_count + m.opened, open_incident_count = l.open_incident_count + m.opened,
        lifecycle_state = case when l.moved then m.end_state else l.lifecycle_state end,
        lifecycle_since = case when l.moved then l.created_at else l.lifecycle_since end
      from open l join sums m on m.reg = l.reg where s.agent_id = l.agent_id
    ), logged as (
      insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
      select i.id, l.agent_id, l.events + row_number() over (partition by l.agent_id order by i.position),
        i.event_type, i.severity, i.metadata, i.reported_by, l.created_at
      from input i join open l on l.reg = i.reg
    ), daily as (
      insert into agent_daily as d (agent_id, day, up_seconds, down_seconds, platform_events, ${list(ROLLUP_FIELDS.map(column))})
      select l.agent_id, (l.created_at at time zone 'utc')::date,
        case when l.moved and l.lifecycle_state = 'up' then l.seconds else 0 end,
        case when l.moved and l.lifecycle_state = 'failed' then l.seconds else 0 end,
        case when l.foreign_platform then m.events else 0 end, ${list(ROLLUP_FIELDS.map((field) => sql`m.${column(field)}`))}
      from open l join sums m on m.reg = l.reg
      on conflict (agent_id, day) do update set up_seconds = d.up_seconds + excluded.up_seconds,
        down_seconds = d.down_seconds + excluded.down_seconds,
        platform_events = d.platform_events + excluded.platform_events,
        ${list(ROLLUP_FIELDS.map((field) => sql`${column(field)} = d.${column(field)} + excluded.${column(field)}`))}
    ), ${withIncidents ? incidentParts(now) : sql``} outcome as materialized (
      select coalesce(jsonb_agg(jsonb_build_object('position', i.position, 'id', i.id, 'agent_id', agent.id,
        'created_at', l.created_at, 'outcome', case when agent.id is null then 'unknown_agent'
          when not agent.owned then 'foreign_agent' when l.agent_id is null then 'deactivated' else 'stored' end)),
        '[]'::jsonb) as facts
      from input i left join agent on agent.reg = i.reg left join open l on l.reg = i.reg
    ) ${keep}
    select ${prior} as prior, facts, ${withIncidents ? PENDING : sql`null::jsonb`} as deliveries from outcome`,
  )
  if (!row) throw new Error('a batch returned no row')
  return { prior: row.prior, facts: (row.facts ?? []).map(withIsoTime), deliveries: row.deliveries }
}

/** The facts of a kept answer. */
export function factsOf({ answer }: Prior): BatchFact[] {
  return (answer.facts as BatchFact[]).map(withIsoTime)
}

function withIsoTime(fact: BatchFact): BatchFact {
  return { ...fact, created_at: fact.created_at && toIso(fact.created_at) }
}

function toInput({ incident, ...event }: BatchEvent) {
  if (!incident) return event
  const { event_id, delivery_id, type } = incident.event
  return { ...event, incident_id: incident.id, ...incidentTexts(event), event_id, delivery_id, type }
}

/** What the events of each agent add together. */
function sumUp(events: readonly BatchEvent[]) {
  return [...Map.groupBy(events, ({ reg }) => reg)].map(([reg, own]) => ({
    reg,
    opened: own.filter(({ incident }) => incident !== null).length,
    ...(lifecycleOf(own) ?? { has_startup: false, has_shutdown: false, end_state: null }),
    ...sumDeltas(own.map(eventDelta)),
  }))
}

/** Opens the incidents, and tells the agents' operators and platforms of them. */
const incidentParts = (now: Date): SQL => sql`
    opened as (
      insert into incidents (id, agent_id, event_id, title, description, severity, created_at)
      select i.incident_id, l.agent_id, i.id, i.title, i.description, i.severity, l.created_at
      from input i join open l on l.reg = i.reg where i.incident_id is not null
      returning agent_id, title, severity, description
    ), opened_of as (
      select opened.*, agent.operator_id, agent.reg from opened join agent on agent.id = opened.agent_id
    ), ${incidentAlerts(sql`opened_of`, now)}, news as (
      select i.event_id, i.delivery_id, l.platform_id, i.type, l.created_at,
        jsonb_build_object('incident_id', i.incident_id, 'reg', i.reg, 'title', i.title, 'severity', i.severity,
          'status', 'open', 'description', i.description) as data
      from input i join open l on l.reg = i.reg where i.incident_id is not null and l.platform_id is not null
    ), ${OUTBOX},`
