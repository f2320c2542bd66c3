import { type SQL, sql } from 'drizzle-orm'
import { belongsTo } from '../agents/owner-store.ts'
import type { Db } from '../db/client.ts'
import type { Actor } from '../http/context.ts'
import { once, type Prior, type Repeatable, runOnce } from '../idempotency/store.ts'
import { incidentAlerts } from '../incidents/alert-store.ts'
import { incidentTexts } from '../incidents/opened.ts'
import { lifecycleOf, MAX_INTERVAL_SECONDS } from '../trust/lifecycle.ts'
import { eventDelta, ROLLUP_FIELDS, sumDeltas } from '../trust/rollup.ts'
import { OUTBOX, PENDING, type Publication } from '../webhooks/outbox/store.ts'
import type { AgentFact, BatchEvent, BatchFacts } from './batch.ts'
import { reporterOf } from './reporter.ts'

export interface AppendedBatch {
  /** The first answer's facts, when the request is a repeat. */
  prior: Prior | null
  facts: BatchFacts
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
 * @param elements of the request, in their order; those that are null are refused without
 */
export async function appendBatch(
  db: Db,
  actor: Actor,
  elements: readonly (BatchEvent | null)[],
  repeatable: Repeatable | null,
  now: Date,
): Promise<AppendedBatch> {
  const ids = elements.map((event) => event?.id ?? null)
  const events = elements.filter((event) => event !== null)
  const incidents = events.flatMap(toIncident)
  const { first, unseen, keep, prior } = once(
    repeatable,
    () =>
      sql`select jsonb_build_object('ids', ${JSON.stringify(ids)}::jsonb, 'agents', agents) as answer from outcome`,
  )
  const at = sql`${now.toISOString()}::timestamptz`
  const row = await runOnce<{
    prior: Prior | null
    agents: AgentFact[] | null
    deliveries: Publication[] | null
  }>(
    db,
    repeatable,
    sql`
    with ${first} input as materialized (
      select reg, log, coalesce(opened, 0) as opened, has_startup, has_shutdown, end_state,
        ${list(ROLLUP_FIELDS.map((field) => sql`coalesce(${column(field)}, 0) as ${column(field)}`))}
      from jsonb_to_recordset(${JSON.stringify(byAgent(events))}::jsonb) as i (
        reg text, log jsonb, opened integer, has_startup boolean, has_shutdown boolean, end_state text,
        ${list(ROLLUP_FIELDS.map((field) => sql`${column(field)} bigint`))}) where ${unseen}
    ), agent as materialized (
      select a.id, a.reg, a.platform_id, a.operator_id, ${belongsTo(actor, sql`a`)} as owned,
        a.operator_id <> ${actor.operator_id}::uuid as foreign_platform
      from agents a where a.reg in (select reg from input)
    ), locked as materialized (
      select s.*, agent.reg, agent.platform_id, agent.foreign_platform, greatest(s.last_active_at, ${at}) as created_at
      from agent_stats s join agent on agent.id = s.agent_id
      where agent.owned order by s.agent_id for no key update of s
    ), open as materialized (
      select l.*, case l.lifecycle_state when 'up' then m.has_shutdown when 'down' then m.has_startup
          when 'failed' then m.has_startup else m.has_startup or m.has_shutdown end as moved,
        least(${MAX_INTERVAL_SECONDS}::bigint,
          greatest(0, floor(extract(epoch from l.created_at - l.lifecycle_since))))::bigint as seconds
      from locked l join input m on m.reg = l.reg where not l.deactivated
    ), stats as (
      update agent_stats s set events = l.events + m.events, last_active_at = l.created_at,
        unscored_since = coalesce(l.unscored_since, ${at}),
        tasks_completed = l.tasks_completed + m.completed, tasks_failed = l.tasks_failed + m.failed,
        response_count = l.response_count + m.latency_count, response_ms = l.response_ms + m.latency_ms,
        incident_count = l.incident_count + m.opened, open_incident_count = l.open_incident_count + m.opened,
        lifecycle_state = case when l.moved then m.end_state else l.lifecycle_state end,
        lifecycle_since = case when l.moved then l.created_at else l.lifecycle_since end
      from open l join input m on m.reg = l.reg where s.agent_id = l.agent_id
    ), logged as (
      insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
      select (e.event ->> 0)::uuid, l.agent_id, l.events + e.nth, e.event ->> 1, e.event ->> 2, e.event -> 3,
        ${reporterOf(actor)}, l.created_at
      from open l join input i on i.reg = l.reg, jsonb_array_elements(i.log) with ordinality as e (event, nth)
    ), daily as (
      insert into agent_daily as d (agent_id, day, up_seconds, down_seconds, platform_events, ${list(ROLLUP_FIELDS.map(column))})
      select l.agent_id, (l.created_at at time zone 'utc')::date,
        case when l.moved and l.lifecycle_state = 'up' then l.seconds else 0 end,
        case when l.moved and l.lifecycle_state = 'failed' then l.seconds else 0 end,
        case when l.foreign_platform then m.events else 0 end, ${list(ROLLUP_FIELDS.map((field) => sql`m.${column(field)}`))}
      from open l join input m on m.reg = l.reg
      on conflict (agent_id, day) do update set up_seconds = d.up_seconds + excluded.up_seconds,
        down_seconds = d.down_seconds + excluded.down_seconds,
        platform_events = d.platform_events + excluded.platform_events,
        ${list(ROLLUP_FIELDS.map((field) => sql`${column(field)} = d.${column(field)} + excluded.${column(field)}`))}
    ), ${incidents.length > 0 ? incidentParts(incidents, now) : sql``} outcome as materialized (
      select coalesce(jsonb_agg(jsonb_build_object('reg', i.reg, 'agent_id', agent.id, 'created_at', l.created_at,
        'outcome', case when agent.id is null then 'unknown_agent' when not agent.owned then 'foreign_agent'
          when l.agent_id is null then 'deactivated' else 'stored' end)), '[]'::jsonb) as agents
      from input i left join agent on agent.reg = i.reg left join open l on l.reg = i.reg
    ) ${keep}
    select ${prior} as prior, agents, ${incidents.length > 0 ? PENDING : sql`null::jsonb`} as deliveries from outcome`,
  )
  if (!row) throw new Error('a batch returned no row')
  return { prior: row.prior, facts: { ids, agents: row.agents ?? [] }, deliveries: row.deliveries }
}

/** The log entries of each agent, and what they add together; what they add nothing to is left out. */
function byAgent(events: readonly BatchEvent[]) {
  return [...Map.groupBy(events, ({ input }) => input.reg)].map(([reg, own]) => {
    const inputs = own.map(({ input }) => input)
    const opened = own.filter(({ incident }) => incident !== null).length
    const sums = Object.entries({ ...sumDeltas(inputs.map(eventDelta)), opened })
    return {
      reg,
      log: own.map(({ id, input: { event_type, severity, metadata } }) => [
        id,
        event_type,
        severity,
        metadata,
      ]),
      ...lifecycleOf(inputs),
      ...Object.fromEntries(sums.filter(([, amount]) => amount > 0)),
    }
  })
}

function toIncident({ id, input, incident }: BatchEvent) {
  if (!incident) return []
  const { event_id, delivery_id, type } = incident.event
  const { reg, severity } = input
  return [{ id: incident.id, reg, event: id, severity, ...incidentTexts(input), event_id, delivery_id, type }]
}

/** Opens the incidents, and tells the agents' operators and platforms of them. */
const incidentParts = (incidents: readonly object[], now: Date): SQL => sql`
    incident as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(incidents)}::jsonb) as i (id uuid, reg text, event uuid, severity text,
        title text, description text, event_id text, delivery_id uuid, type text)
    ), opened as (
      insert into incidents (id, agent_id, event_id, title, description, severity, created_at)
      select i.id, l.agent_id, i.event, i.title, i.description, i.severity, l.created_at
      from incident i join open l on l.reg = i.reg
      returning agent_id, title, severity, description
    ), opened_of as (
      select opened.*, agent.operator_id, agent.reg from opened join agent on agent.id = opened.agent_id
    ), ${incidentAlerts(sql`opened_of`, now)}, news as (
      select i.event_id, i.delivery_id, l.platform_id, i.type, l.created_at,
        jsonb_build_object('incident_id', i.id, 'reg', i.reg, 'title', i.title, 'severity', i.severity,
          'status', 'open', 'description', i.description) as data
      from incident i join open l on l.reg = i.reg where l.platform_id is not null
    ), ${OUTBOX},`
