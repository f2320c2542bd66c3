import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import type { operators } from '../db/schema.ts'
import { jsonb, timestamptz } from '../db/sql.ts'
import { utcDay } from '../lib/time.ts'
import { notifyOperators } from './store.ts'
import { lastWeek, mondayOf } from './week.ts'

const AGENTS_PER_PAGE = 20_000 // an operator can have 10,000; a statement may take five seconds

const INCIDENTS_MAX = 10_000 // counted per agent

/** The ids of at most `limit` operators whose digest of last week is due. */
export async function findDigestsDue(db: Db, now: Date, limit: number): Promise<string[]> {
  const result = await db.execute<Pick<typeof operators.$inferSelect, 'id'>>(sql`
    select id from operators where digest_week < ${mondayOf(now)}::date order by digest_week limit ${limit}::integer`)
  return result.rows.map(({ id }) => id)
}

/** Marks the digest of last week as sent for these operators without sending it. */
export async function skipDigests(db: Db, now: Date, operatorIds: readonly string[]): Promise<void> {
  const monday = sql`${mondayOf(now)}::date`
  await db.execute(sql`
    update operators set digest_week = ${monday}
    where id in (select value::uuid from jsonb_array_elements_text(${jsonb(operatorIds)}))
      and digest_week < ${monday}`)
}

/**
 * Sends the digest of last week to those of a page of operators that want it, are not suspended, and had an agent in that
 * week, and marks all of them. One statement; operators locked by another run are left to that run.
 *
 * @param operatorIds operators beyond `AGENTS_PER_PAGE` agents in total are left for the next call, except the first
 * @returns `marked` is the number of operators marked, `sent` the number of digests
 */
export async function sendDigests(
  db: Db,
  now: Date,
  operatorIds: readonly string[],
): Promise<{ marked: number; sent: number }> {
  const { since, until } = lastWeek(now)
  const monday = sql`${utcDay(until)}::date`
  const sunday = utcDay(new Date(until.getTime() - 1))
  const days = sql`day >= ${utcDay(since)}::date and day < ${monday}`
  const incidentsOf = (column: string) => sql`(select count(*) as n from (
        select from incidents where agent_id = a.id and ${sql.identifier(column)} >= ${timestamptz(since)}
          and ${sql.identifier(column)} < ${timestamptz(until)} limit ${INCIDENTS_MAX + 1}::integer) i)`
  const digests = sql`
      select operator_id, null::text as reg, ${`Your week from ${utcDay(since)} to ${sunday}`}::text as title,
        format('Events: %s. Tasks completed: %s, failed: %s. Incidents opened: %s, resolved: %s. '
          || 'Agents whose score rose: %s, fell: %s.',
          events, completed, failed, opened, resolved, risen, fallen) as body
      from sums`
  const result = await db.execute<{ marked: number; sent: number }>(sql`
    with page as materialized (
      select id from (
        select id, sum(active_agents) over (order by id) - active_agents as agents_before from (
          select id, active_agents from operators
          where id in (select value::uuid from jsonb_array_elements_text(${jsonb(operatorIds)}))
            and digest_week < ${monday}
          for no key update skip locked
        ) due
      ) d
      where agents_before < ${AGENTS_PER_PAGE}::integer
    ), marked as (
      update operators o set digest_week = ${monday} from page where o.id = page.id
      returning o.id, o.status = 'active' and (o.notification_prefs ->> 'weekly_digest')::boolean as wanted
    ), sums as (
      select a.operator_id, sum(d.events) as events, sum(d.completed) as completed, sum(d.failed) as failed,
        ${atLeast(sql`opened.n`)} as opened, ${atLeast(sql`resolved.n`)} as resolved,
        count(*) filter (where s.overall > b.overall) as risen, count(*) filter (where s.overall < b.overall) as fallen
      from marked m join agents a on a.operator_id = m.id and m.wanted and a.registered_at < ${timestamptz(until)}
        and (a.deactivated_at is null or a.deactivated_at >= ${timestamptz(since)})
      cross join lateral (select coalesce(sum(events), 0) as events, coalesce(sum(completed), 0) as completed,
        coalesce(sum(failed), 0) as failed from agent_evidence where agent_id = a.id and ${days}) d
      cross join lateral ${incidentsOf('created_at')} opened
      cross join lateral ${incidentsOf('resolved_at')} resolved
      left join lateral (select overall from trust_scores where agent_id = a.id and ${days}
        order by day desc limit 1) s on true
      left join lateral (select overall from trust_scores where agent_id = a.id
        and day < ${utcDay(since)}::date order by day desc limit 1) b on true
      group by a.operator_id
    )
    select (select count(*)::integer from marked) as marked,
      ${notifyOperators('weekly_digest', digests, now)} as sent`)
  return result.rows[0] ?? { marked: 0, sent: 0 }
}

/** The sum of capped counts, as text; ends in a plus if one of the counts exceeded the maximum. */
function atLeast(n: SQL): SQL {
  const most = sql`${INCIDENTS_MAX}::integer`
  return sql`sum(least(${n}, ${most})) || case when bool_or(${n} > ${most}) then '+' else '' end`
}
