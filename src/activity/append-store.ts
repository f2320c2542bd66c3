import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { jsonb, timestamptz } from '../db/sql.ts'
import { QUOTAS } from '../db/tiers.ts'
import type { Actor } from '../http/context.ts'
import { once, type Prior, type Repeatable, runOnce } from '../idempotency/store.ts'
import { incidentAlerts } from '../incidents/alert-store.ts'
import { MAX_INTERVAL_SECONDS } from '../trust/lifecycle.ts'
import { emitEvents, type Publication } from '../webhooks/outbox/store.ts'
import { type AgentFact, type Batch, byAgent, incidentsOf, reporterOf } from './entries.ts'

type Row = { prior?: Prior | null; agents: AgentFact[] | null; deliveries?: Publication[] | null }

/**
 * Appends events to the logs of agents of this operator or platform, and updates counters and rollups (the function
 * append_events), opens incidents, and fills the outbox, in one statement without the parts that the events do not
 * need. For a repeatable request, the facts are kept if an event is stored.
 *
 * @returns `prior`: the facts of the first response if the request is repeated
 */
export async function appendEvents(
  db: Db,
  actor: Actor,
  batch: Batch,
  repeatable: Repeatable | null,
  now: Date,
) {
  const events = batch.events.filter((event) => event !== null)
  const incidents = incidentsOf(events)
  const opened = incidents.length > 0 ? openIncidents(incidents, actor, now) : null
  const { operator_id, platform_id, tier } = actor
  const invalid = batch.events.flatMap((event, nth) => (event ? [] : [nth]))
  const known = { first_id: batch.first_id, tier, invalid }
  const { first, unseen, keep, prior } = once(
    repeatable,
    () => sql`select ${jsonb(known)} || jsonb_build_object('agents', agents) as answer from appended
      where agents @> '[{"outcome": "stored"}]'`,
  )
  const { events_per_day, metadata_bytes_per_day } = QUOTAS[tier]
  const appended = sql`append_events(${operator_id}::uuid, ${platform_id}::uuid, ${reporterOf(actor)},
    ${events_per_day}::integer, ${metadata_bytes_per_day}::bigint, ${MAX_INTERVAL_SECONDS}::bigint,
    ${timestamptz(now)}, ${unseen}, ${jsonb(byAgent(events))})`
  const statement =
    !opened && !repeatable
      ? sql`select ${appended} as agents`
      : sql`
    with ${first} appended as materialized (
      select ${appended} as agents
    ) ${opened?.ctes} ${keep}
    select ${prior} as prior, agents, ${opened?.deliveries ?? sql`null::jsonb`} as deliveries,
      ${opened?.alerts ?? sql`0`} as alerts from appended`
  const row = await runOnce<Row>(db, repeatable, statement)
  if (!row) throw new Error('a report returned no row')
  const { prior: first_response = null, agents, deliveries = null } = row
  return first_response
    ? { prior: first_response, facts: null, deliveries }
    : { prior: null, facts: { ...known, agents: agents ?? [] }, deliveries }
}

/**
 * Opens the incidents of the stored events and notifies operators and platforms. A platform receives only as many as
 * the limit per minute still allows; the last one is marked as truncated.
 */
function openIncidents(incidents: readonly object[], actor: Actor, now: Date) {
  return {
    ctes: sql`, incident as materialized (
      select i.*, s.agent_id, s.operator_id, ${reporterOf(actor)}::text as reported_by, s.source, s.platform, s.created_at,
        row_number() over (partition by s.agent_id, i.severity = 'critical' order by i.event) as nth,
        case i.severity when 'critical' then s.criticals_left else s.incidents_left end as left_to_report
      from appended, jsonb_to_recordset(agents) as s (reg text, outcome text, agent_id uuid, operator_id uuid,
        source report_source, platform text, created_at timestamptz, incidents_left integer, criticals_left integer)
      join jsonb_to_recordset(${jsonb(incidents)}) as i (id uuid, reg text, event uuid, severity text,
        title text, description text, event_id text, type text) on i.reg = s.reg
      where s.outcome = 'stored'
    ), opened as (
      insert into incidents (id, agent_id, event_id, reported_by, source, platform, title, description, severity, created_at)
      select id, agent_id, event, reported_by, source, platform, title, description, severity, created_at from incident
    )`,
    alerts: incidentAlerts(
      sql`select id, operator_id, reg, title, severity, source, platform, description, nth >= left_to_report as is_last
        from incident where left_to_report > 0`,
      now,
    ),
    deliveries: emitEvents(
      sql`select event_id, type, created_at, agent_id,
          jsonb_build_object('incident_id', id, 'reg', reg, 'title', title, 'severity', severity, 'status', 'open',
            'reported_by', reported_by, 'source', source, 'platform', platform, 'description', description) || case nth when left_to_report then '{"truncated": true}'::jsonb else '{}' end as data
        from incident where nth <= left_to_report`,
      now,
    ),
  }
}
