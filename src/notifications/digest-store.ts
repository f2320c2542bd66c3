import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { utcDay } from '../lib/wire.ts'
import { notified } from './store.ts'
import { lastWeek } from './week.ts'

const AGENTS_PER_PAGE = 20_000 // an operator may have 10,000, and a statement five seconds

/**
 * Gives a page of operators the digest of last week, and marks them: those who want it, are not suspended and had an
 * agent in it. One statement; operators that another run holds are left to that one.
 *
 * @param limit how many operators at most
 * @returns how many were marked, and how many of them were sent a digest
 */
export async function sendDigests(
  db: Db,
  now: Date,
  limit: number,
): Promise<{ marked: number; sent: number }> {
  const { since, until } = lastWeek(now)
  const monday = sql`${utcDay(until)}::date`
  const sunday = utcDay(new Date(until.getTime() - 1))
  const days = sql`day >= ${utcDay(since)}::date and day < ${monday}`
  const within = (column: string) => sql`${sql.identifier(column)} >= ${since.toISOString()}::timestamptz
        and ${sql.identifier(column)} < ${until.toISOString()}::timestamptz`
  const result = await db.execute<{ marked: number; sent: number }>(sql`
    with due as materialized (
      select id, active_agents from operators
      where id in ((select id from operators where digest_week is null limit ${limit}::integer) union all
          (select id from operators where digest_week < ${monday} order by digest_week limit ${limit}::integer))
        and (digest_week is null or digest_week < ${monday})
      limit ${limit}::integer for update skip locked
    ), page as (
      select id from (select id, sum(active_agents) over (order by id) - active_agents as agents_before from due) d
      where agents_before < ${AGENTS_PER_PAGE}::integer
    ), marked as (
      update operators o set digest_week = ${monday} from page where o.id = page.id
      returning o.id, o.status = 'active' and (o.notification_prefs ->> 'weekly_digest')::boolean as wanted
    ), mine as (
      select a.id, a.operator_id from agents a join marked m on m.id = a.operator_id and m.wanted
      where a.registered_at < ${until.toISOString()}::timestamptz
        and (a.deactivated_at is null or a.deactivated_at >= ${since.toISOString()}::timestamptz)
    ), sums as (
      select operator_id, sum(d.events) as events, sum(d.completed) as completed, sum(d.failed) as failed,
        sum(i.opened) as opened, sum(i.resolved) as resolved,
        count(*) filter (where s.overall > b.overall) as risen, count(*) filter (where s.overall < b.overall) as fallen
      from mine
      cross join lateral (select coalesce(sum(events), 0) as events, coalesce(sum(completed), 0) as completed,
        coalesce(sum(failed), 0) as failed from agent_daily where agent_id = mine.id and ${days}) d
      cross join lateral (select count(*) filter (where ${within('created_at')}) as opened,
        count(*) filter (where ${within('resolved_at')}) as resolved from incidents where agent_id = mine.id) i
      left join lateral (select overall from trust_scores where agent_id = mine.id and ${days}
        order by day desc limit 1) s on true
      left join lateral (select overall from trust_scores where agent_id = mine.id
        and day < ${utcDay(since)}::date order by day desc limit 1) b on true
      group by operator_id
    ), digests as (
      select operator_id, null::text as reg, ${`Your week from ${utcDay(since)} to ${sunday}`}::text as title,
        format('Events: %s. Tasks completed: %s, failed: %s. Incidents opened: %s, resolved: %s. '
          || 'Agents whose score rose: %s, fell: %s.',
          events, completed, failed, opened, resolved, risen, fallen) as body
      from sums
    ), ${notified(sql`digests`, 'weekly_digest', now)}
    select (select count(*)::integer from marked) as marked, (select count(*)::integer from digests) as sent`)
  return result.rows[0] ?? { marked: 0, sent: 0 }
}
