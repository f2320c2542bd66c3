import { type SQL, sql } from 'drizzle-orm'
import { audited } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { textArray, timestamptz, wireTime } from '../db/sql.ts'
import { quotaOf } from '../db/tiers.ts'
import { utcDay } from '../lib/time.ts'
import type { EventHead } from '../webhooks/outbox/events.ts'
import { eventColumns, type Publication, toOutbox } from '../webhooks/outbox/store.ts'
import type { Rejection } from './membership.ts'
import { clearedCounts, moveTo, shownMembership, stayPut } from './membership-store.ts'
import { agentPayload } from './payload-store.ts'
import type { AgentCreated } from './responses.ts'
import type { AgentChanges } from './schema.ts'

export interface AgentUpdate {
  reg: string
  operator_id: string
  changes: AgentChanges
  /** The current overall score, for the webhook events. */
  trust_score_overall: string | null
  registered: EventHead
  updated: EventHead
  deactivated: EventHead
  now: Date
}

type ChangedAgent = Omit<AgentCreated, 'trust_score_overall' | 'not_public'>

type Row = {
  known: boolean
  /** Why the platform rejects a move, and when it removed the agent. */
  rejected: { rejection: Rejection; removed_at: string | null } | null
  /** The quota of changes per agent and UTC day if it is used up; else null. */
  quota: number | null
  agent: ChangedAgent | null
  deliveries: Publication[] | null
}

export type Updated =
  | { outcome: 'updated'; agent: ChangedAgent; deliveries: Publication[] | null }
  | ({ outcome: 'rejected' } & NonNullable<Row['rejected']>)
  | { outcome: 'too_many'; quota: number }
  | { outcome: 'unknown' | 'foreign' }

/**
 * Changes texts and links of an agent, moves it to another platform, deactivates it, or any of these, with webhook
 * events and audit rows, in one atomic round trip. A rejected move changes nothing; values that are already set cause
 * no events. Deactivation frees a place in the quota of active agents and is always possible; other changes have a
 * daily quota. Before a move, the row of the agent is locked, so that the statement sees a removal that was just
 * committed.
 */
export async function updateAgent(db: Db, update: AgentUpdate): Promise<Updated> {
  const { reg, operator_id, changes, trust_score_overall, registered, updated, deactivated, now } = update
  const own = sql`select * from agents where reg = ${reg} and operator_id = ${operator_id}::uuid for no key update`
  const move = changes.platform_slug === undefined ? stayPut(own) : moveTo(own, changes.platform_slug, now)
  const outgoing = sql`
      select head.type, head.event_id, head.created_at, head.platform_id, head.platform_state,
        ${agentPayload(sql`m`, sql`s`, sql`o`, sql`${trust_score_overall}::text`)} || head.extra as data
      from moved m join agent_stats s on s.agent_id = m.id join operators o on o.id = m.operator_id
      cross join lateral (
        select ${eventColumns(updated)}, jsonb_build_object('changed', to_jsonb(m.changed)) as extra,
          m.from_id as platform_id, m.from_state as platform_state
        where cardinality(m.changed) > 0
        union all
        select ${eventColumns(deactivated)}, '{}'::jsonb, m.from_id, m.from_state where m.stops
        union all
        select ${eventColumns(registered)}, '{}'::jsonb, m.platform_id, m.platform_state where m.joins
      ) head`
  const { ctes, pending } = toOutbox(outgoing, now)
  const today = sql`${utcDay(now)}::date`
  const isCounted = Object.keys(changes).some((name) => name !== 'status')
  const done = sql`
        select operator_id, reg as target, 'agent.deactivated' as action from moved where stops
        union all select operator_id, reg, 'agent.platform_changed' from moved where moves`
  const statement = sql`
    with ${move.held}, over as (
      select c.quota from held h cross join lateral (
        select ${quotaOf(sql`o.tier`, 'changes_per_day')}::integer as quota from operators o where o.id = h.operator_id
      ) c where ${isCounted}::boolean and of_today(h.changed_day, ${today}, h.changes) >= c.quota
    ), wanted as (
      select id, coalesce(${changes.name ?? null}::text, name) as name,
        coalesce(${changes.description ?? null}::text, description) as description,
        coalesce(${textArray(changes.specializations ?? null)}, specializations) as specializations,
        ${changed(changes.homepage_url, 'homepage_url')}, ${changed(changes.card_url, 'card_url')},
        ${changes.status ?? null}::text is not null and status = 'active' as stops
      from held where not exists (select from over)
    ), stopped as (
      update agent_stats s set deactivated = true from wanted w
      where s.agent_id = w.id and w.stops and not s.deactivated returning s.agent_id
    ), freed as (
      update operators set active_agents = active_agents - 1
      where id = ${operator_id}::uuid and exists (select from stopped)
    ), moved as (
      select w.*, h.reg, h.operator_id, h.class, h.ownership_status, h.domain, h.registered_at,
        h.platform_id as from_id, h.platform_state as from_state, moves, joins, to_id as platform_id,
        to_state as platform_state, to_since as platform_since, to_leaves_at as platform_leaves_at,
        to_next_id as next_platform_id, array_remove(array[
          case when w.name <> h.name then 'name' end,
          case when w.description <> h.description then 'description' end,
          case when w.specializations <> h.specializations then 'specializations' end,
          case when w.homepage_url is distinct from h.homepage_url then 'homepage_url' end,
          case when w.card_url is distinct from h.card_url then 'card_url' end], null) as changed,
        case when w.stops then 'deactivated' else h.status end as status
      from wanted w join held h on h.id = w.id cross join ${move.row}
    ), written as (
      update agents a set name = m.name, description = m.description, specializations = m.specializations,
        homepage_url = m.homepage_url, card_url = m.card_url,
        name_changed_at = case when m.name <> a.name then ${timestamptz(now)} else a.name_changed_at end,
        platform_id = m.platform_id, platform_state = m.platform_state, platform_since = m.platform_since,
        platform_leaves_at = m.platform_leaves_at, next_platform_id = m.next_platform_id,
        changed_day = case when m.counts then greatest(a.changed_day, ${today}) else a.changed_day end,
        changes = case when m.counts then of_today(a.changed_day, ${today}, a.changes) + 1 else a.changes end,
        status = m.status, deactivated_at = case when m.stops then ${timestamptz(now)} else a.deactivated_at end
      from (select *, moves or cardinality(changed) > 0 as counts from moved) m
      where a.id = m.id and (m.stops or m.counts)
    ), ${clearedCounts(sql`select id from moved where joins`)}, ${audited(done, sql`action`, now)}, ${ctes}
    select exists (select from agents where reg = ${reg}) as known, ${move.rejected} as rejected,
      (select quota from over) as quota,
      (select jsonb_build_object('id', m.id, 'reg', m.reg, 'name', m.name, 'description', m.description, 'class', m.class,
          'status', m.status, 'ownership_status', m.ownership_status, 'domain', m.domain,
          'homepage_url', m.homepage_url, 'card_url', m.card_url, 'specializations', to_jsonb(m.specializations),
          'tasks_completed', s.tasks_completed, 'tasks_failed', s.tasks_failed, 'incident_count', s.incident_count,
          'registered_at', ${wireTime(sql`m.registered_at`)}) || ${shownMembership(sql`m`)}
        from moved m join agent_stats s on s.agent_id = m.id) as agent, ${pending} as deliveries`
  const row =
    changes.platform_slug === undefined
      ? (await db.execute<Row>(statement)).rows[0]
      : (await db.batch([db.execute(own), db.execute<Row>(statement)]))[1].rows[0]
  if (row?.agent) return { outcome: 'updated', agent: row.agent, deliveries: row.deliveries }
  if (row && row.quota !== null) return { outcome: 'too_many', quota: row.quota }
  if (row?.rejected) return { outcome: 'rejected', ...row.rejected }
  return { outcome: row?.known ? 'foreign' : 'unknown' }
}

/** A nullable column: takes the value if it is given, including null. */
function changed(value: string | null | undefined, column: string): SQL {
  const name = sql.identifier(column)
  return value === undefined ? sql`${name}` : sql`${value}::text as ${name}`
}
