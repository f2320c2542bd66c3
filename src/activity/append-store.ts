import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import type { Source } from '../db/enums.ts'
import { also, jsonb, timestamptz, wireTime } from '../db/sql.ts'
import { QUOTAS } from '../db/tiers.ts'
import type { Actor } from '../http/context.ts'
import { once, type Prior, type Repeatable, runOnce } from '../idempotency/store.ts'
import { incidentAlerts } from '../incidents/alert-store.ts'
import { toIso } from '../lib/time.ts'
import { type Outbox, type Publication, toOutbox } from '../webhooks/outbox/store.ts'
import type { BatchFacts } from './batch.ts'
import { type AgentFact, byAgent, incidentsOf, type NewEvent, reporterOf } from './entries.ts'
import type { Rejected } from './rejection.ts'

/** The outcome of a report: stored, repeated, or the reason for its rejection. */
export type Stored =
  | {
      outcome: 'stored'
      agent_id: string
      source: Source
      created_at: string
      deliveries: Publication[] | null
    }
  | { outcome: 'repeated'; prior: Prior }
  | Rejected

export interface AppendedBatch {
  /** The facts of the first response if the request is repeated. */
  prior: Prior | null
  facts: BatchFacts
  deliveries: Publication[] | null
}

type Row = { prior?: Prior | null; agents: AgentFact[] | null; deliveries?: Publication[] | null }

/**
 * Appends an event to the log of an agent of this operator or platform, as a batch of one. For a repeatable request,
 * the response is kept if the event is stored.
 */
export async function appendEvent(
  db: Db,
  actor: Actor,
  event: NewEvent,
  repeatable: Repeatable | null,
  now: Date,
): Promise<Stored> {
  const { reg, ...shown } = event.input
  const known = JSON.stringify({ id: event.id, ...shown, reported_by: reporterOf(actor) })
  const response = sql`select ${known}::jsonb || jsonb_build_object('agent_id', agent_id, 'source', source,
    'created_at', ${wireTime(sql`created_at`)}) as answer from stored`
  const { prior, agents, deliveries = null } = await append(db, actor, [event], repeatable, response, now)
  if (prior) return { outcome: 'repeated', prior }
  const [fact] = agents ?? []
  if (!fact) throw new Error('a report returned no fact')
  const { outcome, agent_id, source, created_at } = fact
  if (outcome !== 'stored') return { ...fact, outcome }
  if (!agent_id || !source || !created_at) throw new Error('a stored event has no agent, source or time')
  return { outcome: 'stored', agent_id, source, created_at: toIso(created_at), deliveries }
}

/**
 * Appends the events of a batch to the logs of agents of this operator or platform. For a repeatable request, the facts
 * are kept whatever the outcome.
 *
 * @param elements of the request, in order; null for those that were already rejected
 */
export async function appendBatch(
  db: Db,
  actor: Actor,
  elements: readonly (NewEvent | null)[],
  repeatable: Repeatable | null,
  now: Date,
): Promise<AppendedBatch> {
  const ids = elements.map((event) => event?.id ?? null)
  const events = elements.filter((event) => event !== null)
  const response = sql`select jsonb_build_object('ids', ${JSON.stringify(ids)}::jsonb, 'agents', agents) as answer
    from appended`
  const {
    prior = null,
    agents,
    deliveries = null,
  } = await append(db, actor, events, repeatable, response, now)
  return { prior, facts: { ids, agents: agents ?? [] }, deliveries }
}

/**
 * Appends events and updates counters and rollups (the function append_events), opens incidents, and fills the outbox,
 * in one statement without the parts that the events do not need.
 *
 * @param response selects what is kept for repeats, from `appended (agents)` or from `stored`, the facts of stored
 * events
 */
async function append(
  db: Db,
  actor: Actor,
  events: readonly NewEvent[],
  repeatable: Repeatable | null,
  response: SQL,
  now: Date,
): Promise<Row> {
  const incidents = incidentsOf(events)
  const opened = incidents.length > 0 ? openIncidents(incidents, now) : null
  const { first, unseen, keep, prior } = once(repeatable, () => response)
  const { operator_id, platform_id, tier } = actor
  const { events_per_day, metadata_bytes_per_day } = QUOTAS[tier]
  const appended = sql`append_events(${operator_id}::uuid, ${platform_id}::uuid, ${reporterOf(actor)},
    ${events_per_day}::integer, ${metadata_bytes_per_day}::bigint, ${timestamptz(now)}, ${unseen},
    ${jsonb(byAgent(events))})`
  const statement =
    !opened && !repeatable
      ? sql`select ${appended} as agents`
      : sql`
    with ${first} appended as materialized (
      select ${appended} as agents
    ), stored as materialized (
      select f.* from appended, jsonb_to_recordset(agents) as f (reg text, outcome text, agent_id uuid, operator_id uuid,
        platform_id uuid, source text, created_at timestamptz, incidents_left integer, criticals_left integer)
      where f.outcome = 'stored'
    ) ${also(opened?.ctes)} ${keep}
    select ${prior} as prior, agents, ${opened?.pending ?? sql`null::jsonb`} as deliveries from appended`
  const row = await runOnce<Row>(db, repeatable, statement)
  if (!row) throw new Error('a report returned no row')
  return row
}

/**
 * Opens the incidents of the `stored` events and notifies operators and platforms. A platform receives only as many as
 * the limit per minute still allows; the last one is marked as truncated.
 */
function openIncidents(incidents: readonly object[], now: Date): Outbox {
  const outbox = toOutbox(
    sql`select event_id, type, created_at, platform_id, platform_state,
        jsonb_build_object('incident_id', id, 'reg', reg, 'title', title, 'severity', severity, 'status', 'open',
          'description', description) || case nth when left_to_report then '{"truncated": true}'::jsonb else '{}' end as data
      from incident where nth <= left_to_report`,
    now,
  )
  return {
    ...outbox,
    ctes: sql`incident as materialized (
      select i.*, s.agent_id, s.operator_id, s.created_at, a.platform_id, a.platform_state,
        row_number() over (partition by s.agent_id, i.severity = 'critical' order by i.event) as nth,
        case i.severity when 'critical' then s.criticals_left else s.incidents_left end as left_to_report
      from jsonb_to_recordset(${jsonb(incidents)}) as i (id uuid, reg text, event uuid, severity text,
        title text, description text, event_id text, type text)
      join stored s on s.reg = i.reg join agents a on a.id = s.agent_id
    ), opened as (
      insert into incidents (id, agent_id, event_id, title, description, severity, created_at)
      select id, agent_id, event, title, description, severity, created_at from incident
    ), ${incidentAlerts(
      sql`select id, operator_id, reg, title, severity, description, nth >= left_to_report as is_last
        from incident where left_to_report > 0`,
      now,
    )}, ${outbox.ctes}`,
  }
}
