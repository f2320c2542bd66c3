import { and, asc, eq, isNotNull, isNull, lt, or, sql } from 'drizzle-orm'
import { auditEach } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { operators, platforms } from '../db/schema.ts'
import { only, transaction } from '../db/transaction.ts'
import { WINDOW_DAYS } from '../trust/window.ts'

/** Number of identified persons, in addition to the platform's own, that establish a platform. */
const PERSONS_MIN = 3
/** Completed tasks that each of them needs, and the maximum that counts per UTC day. */
const TASKS_MIN = 50
const TASKS_OF_DAY = 5
/** Maximum number of agents considered: the most recently active ones of each operator, in turns. */
const AGENTS_MAX = 1_000

/** Platforms that could become established and were not judged on this UTC day, longest waiting first. */
export async function findUnjudged(db: Db, today: string, limit: number): Promise<string[]> {
  const rows = await db
    .select({ id: platforms.id })
    .from(platforms)
    .innerJoin(operators, eq(operators.id, platforms.operator_id))
    .where(
      and(
        isNull(platforms.established_at),
        sql`not is_distrusted(${operators.kyc_identity})`,
        eq(platforms.status, 'active'),
        or(isNull(platforms.judged_day), lt(platforms.judged_day, today)),
        isNotNull(operators.kyc_identity),
        eq(operators.status, 'active'),
      ),
    )
    .orderBy(sql`${platforms.judged_day} nulls first`, asc(platforms.id))
    .limit(limit)
  return rows.map(({ id }) => id)
}

/**
 * Permanently establishes a platform, with an audit row, if enough identified persons have worked with it.
 *
 * @param today the UTC day of the run, `YYYY-MM-DD`
 * @returns whether this call established it
 *
 * Source: trust score algorithm 1.0, who reports
 */
export async function judgePlatform(db: Db, id: string, today: string, now: Date): Promise<boolean> {
  const { persons, operator_ids } = await countWorkers(db, id, today)
  const isEstablished = persons >= PERSONS_MIN
  const { operator_id, slug: target, established_at, status } = platforms
  const isOpen = and(
    eq(platforms.id, id),
    isNull(established_at),
    sql`not is_distrusted((select o.kyc_identity from operators o where o.id = ${operator_id}))`,
    eq(status, 'active'),
  )
  const write = transaction(db)
  write.lock(platforms, isOpen)
  if (isEstablished)
    write.add(auditEach(db, 'platform.established', platforms, { operator_id, target, where: isOpen }, now))
  const judged = write.add(
    db
      .update(platforms)
      .set({
        judged_day: today,
        ...(isEstablished && { established_at: now.toISOString(), established_by: operator_ids }),
      })
      .where(isOpen)
      .returning({ id: platforms.id }),
  )
  await write.run()
  return isEstablished && judged.result.length > 0
}

/**
 * Counts the identified persons who have worked with a platform, other than the person of its operator, with their
 * operators. Completed tasks of the last 90 days count if they have the source peer or independent, and were done after
 * the day on which the agent joined the platform.
 */
async function countWorkers(db: Db, id: string, today: string) {
  const { rows } = await db.execute<{ persons: number; operator_ids: string[] | null }>(sql`
    with platform as materialized (
      select p.id, o.kyc_identity from platforms p join operators o on o.id = p.operator_id
      where p.id = ${id}::uuid and o.status = 'active'
    ), candidates as materialized (
      select a.id, a.platform_since, a.operator_id, o.kyc_identity
      from platform p join agents a on a.platform_id = p.id join agent_stats s on s.agent_id = a.id
      join operators o on o.id = a.operator_id and o.kyc_identity <> p.kyc_identity and o.status = 'active'
      order by row_number() over (partition by a.operator_id order by s.last_active_at desc nulls last, a.id), a.id
      limit ${AGENTS_MAX}::integer
    ), days as (
      select a.operator_id, a.kyc_identity, least(${TASKS_OF_DAY}::integer, sum(d.completed)) as counted
      from candidates a cross join lateral (
        select day, sum(completed) as completed from agent_evidence
        where agent_id = a.id and source in ('peer', 'independent') and day > (a.platform_since at time zone 'utc')::date
          and day > ${today}::date - ${WINDOW_DAYS}::integer and day <= ${today}::date group by day
      ) d
      group by a.operator_id, a.kyc_identity, d.day
    )
    select count(distinct kyc_identity)::integer as persons, array_agg(operator_id order by operator_id) as operator_ids from (
      select operator_id, kyc_identity from days group by operator_id, kyc_identity having sum(counted) >= ${TASKS_MIN}::integer
    ) workers`)
  return only(rows)
}

/** Postpones a platform that could not be judged to the next day, so that it does not block others. */
export async function leaveUnjudged(db: Db, id: string, today: string): Promise<void> {
  await db.update(platforms).set({ judged_day: today }).where(eq(platforms.id, id))
}
