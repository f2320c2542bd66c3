import { type SQL, sql } from 'drizzle-orm'
import { audited } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { textArray, timestamptz, wireTime } from '../db/sql.ts'
import type { EventHead } from '../webhooks/outbox/events.ts'
import { eventColumns, type Publication, toOutbox } from '../webhooks/outbox/store.ts'
import type { AgentCreated } from './answers.ts'
import type { AgentChanges } from './schema.ts'

export interface AgentUpdate {
  reg: string
  operator_id: string
  changes: AgentChanges
  /** The overall score of this moment, for the events. */
  trust_score_overall: string | null
  updated: EventHead
  deactivated: EventHead
  now: Date
}

type ChangedAgent = Omit<AgentCreated, 'trust_score_overall' | 'not_public'>

type Row = {
  known: boolean
  agent: ChangedAgent | null
  deliveries: Publication[] | null
}

export type Updated =
  | { outcome: 'updated'; agent: ChangedAgent; deliveries: Publication[] | null }
  | { outcome: 'unknown' | 'foreign' }

/**
 * Changes texts and links of an agent, deactivates it, or both, with its events and audit row, in one statement. What is
 * already so changes nothing and tells nobody. Deactivation gives back the place below the operator's limit.
 */
export async function updateAgent(db: Db, update: AgentUpdate): Promise<Updated> {
  const { reg, operator_id, changes, trust_score_overall, updated, deactivated, now } = update
  const news = sql`
      select head.*, shown.platform_id, shown.platform_state, shown.agent || jsonb_build_object('operator_name', o.name,
        'trust_score_overall', ${trust_score_overall}::text) || head.extra as data
      from shown join operators o on o.id = ${operator_id}::uuid
      cross join lateral (
        select ${eventColumns(updated)}, jsonb_build_object('changed', to_jsonb(shown.changed)) as extra
        where cardinality(shown.changed) > 0
        union all
        select ${eventColumns(deactivated)}, '{}'::jsonb where shown.stops
      ) head`
  const { ctes, pending } = toOutbox(news, now)
  const result = await db.execute<Row>(sql`
    with held as materialized (
      select * from agents where reg = ${reg} and operator_id = ${operator_id}::uuid for no key update
    ), wanted as (
      select id, coalesce(${changes.name ?? null}::text, name) as name,
        coalesce(${changes.description ?? null}::text, description) as description,
        coalesce(${textArray(changes.specializations ?? null)}, specializations) as specializations,
        ${changed(changes.homepage_url, 'homepage_url')}, ${changed(changes.card_url, 'card_url')},
        ${changes.status ?? null}::text is not null and status = 'active' as stops
      from held
    ), stopped as (
      update agent_stats s set deactivated = true from wanted w
      where s.agent_id = w.id and w.stops and not s.deactivated returning s.agent_id
    ), freed as (
      update operators set active_agents = active_agents - 1
      where id = ${operator_id}::uuid and exists (select from stopped)
    ), moved as (
      select w.*, h.platform_id, h.platform_state, array_remove(array[
          case when w.name <> h.name then 'name' end,
          case when w.description <> h.description then 'description' end,
          case when w.specializations <> h.specializations then 'specializations' end,
          case when w.homepage_url is distinct from h.homepage_url then 'homepage_url' end,
          case when w.card_url is distinct from h.card_url then 'card_url' end], null) as changed,
        case when w.stops then 'deactivated' else h.status end as status
      from wanted w join held h on h.id = w.id
    ), written as (
      update agents a set name = m.name, description = m.description, specializations = m.specializations,
        homepage_url = m.homepage_url, card_url = m.card_url,
        name_changed_at = case when m.name <> a.name then ${timestamptz(now)} else a.name_changed_at end,
        status = m.status, deactivated_at = case when m.stops then ${timestamptz(now)} else a.deactivated_at end
      from moved m where a.id = m.id and (m.stops or cardinality(m.changed) > 0)
      returning a.operator_id, a.reg, m.stops
    ), ${audited(sql`select operator_id, reg as target from written where stops`, 'agent.deactivated', now)},
    shown as (
      select m.*, jsonb_build_object('reg', h.reg, 'name', m.name, 'description', m.description, 'class', h.class,
        'status', m.status, 'ownership_status', h.ownership_status, 'domain', h.domain, 'specializations', to_jsonb(m.specializations),
        'tasks_completed', s.tasks_completed,
        'registered_at', ${wireTime(sql`h.registered_at`)}) as agent,
        jsonb_build_object('id', h.id, 'tasks_failed', s.tasks_failed, 'incident_count', s.incident_count,
          'homepage_url', m.homepage_url, 'card_url', m.card_url) as own
      from moved m join held h on h.id = m.id join agent_stats s on s.agent_id = m.id
    ), ${ctes}
    select exists (select from agents where reg = ${reg}) as known,
      (select agent || own from shown) as agent, ${pending} as deliveries`)
  const row = result.rows[0]
  if (row?.agent) return { outcome: 'updated', agent: row.agent, deliveries: row.deliveries }
  return { outcome: row?.known ? 'foreign' : 'unknown' }
}

/** A column that a change may empty: given, it takes the value, null too. */
function changed(value: string | null | undefined, column: string): SQL {
  const name = sql.identifier(column)
  return value === undefined ? sql`${name}` : sql`${value}::text as ${name}`
}
