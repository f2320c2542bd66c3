import { getTableName, type SQL, sql, type Table } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Db } from '../db/client.ts'
import {
  idempotency_keys,
  job_runs,
  mails,
  notifications,
  sessions,
  usage_folds,
  webhook_attempts,
  webhook_deliveries,
} from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'

/** Rows per statement. They are deleted by an array of keys: a join could scan a large table completely. */
const PAGE = 1_000

const ago = (now: Date, interval: string) => sql`${timestamptz(now)} - ${interval}::interval`

/**
 * Deletes expired rows, at most a thousand per table: idempotency keys after 48 hours; deliveries with their attempts,
 * webhook events without deliveries, and mails after 30 days; ended sessions after 90 days; notifications after a year; and
 * usage folds after a day. Idempotency keys are valid for 24 hours: a run whose clock is a day ahead deletes no valid one.
 *
 * @returns the number of deleted rows, and whether a table may have more
 */
export async function deleteExpired(db: Db, now: Date): Promise<{ deleted: number; more: boolean }> {
  const result = await db.execute<Record<string, number>>(sql`
    with ${deleteFrom(idempotency_keys.scope, sql`created_at < ${ago(now, '48 hours')}`)},
    ${deleteFrom(sessions.id, sql`least(ended_at, expires_at) < ${ago(now, '90 days')}`)},
    ${deleteFrom(notifications.id, sql`created_at < ${ago(now, '365 days')}`)},
    ${deleteFrom(mails.id, sql`created_at < ${ago(now, '30 days')}`)},
    ${deleteFrom(usage_folds.id, sql`folded_at < ${ago(now, '24 hours')}`)}, old as (
      select id from webhook_deliveries
      where status <> 'pending' and created_at < ${ago(now, '30 days')} order by created_at limit ${PAGE}::integer
    ), ${deletedFrom(webhook_attempts)} as (
      delete from webhook_attempts where delivery_id = any (array(select id from old)) returning 1
    ), ${deletedFrom(webhook_deliveries)} as (
      delete from webhook_deliveries where id = any (array(select id from old)) returning 1
    )
    select ${countDeleted(idempotency_keys)} as keys, ${countDeleted(sessions)} as sessions, ${countDeleted(notifications)} as notifications,
      ${countDeleted(mails)} as mails, ${countDeleted(usage_folds)} as folds, ${countDeleted(webhook_deliveries)} as deliveries, ${countDeleted(webhook_attempts)} as attempts`)
  // While a backlog is deleted, events newer than the oldest ended delivery are skipped: most still have deliveries. The
  // look-up is a scalar subquery because "not exists" would be planned as a join with all deliveries.
  const { rowCount } = await db.execute(sql`
    delete from webhook_events where id = any (array(
      select e.id from webhook_events e
      where e.created_at < ${ago(now, '30 days')}
        and e.created_at <= coalesce(
          (select min(created_at) from webhook_deliveries where status <> 'pending'), 'infinity'::timestamptz)
        and (select d.id from webhook_deliveries d where d.event_id = e.id limit 1) is null
      order by e.created_at limit ${PAGE}::integer))`)
  const { attempts = 0, ...limited } = result.rows[0] ?? {}
  const counts = [...Object.values(limited), rowCount]
  return { deleted: counts.reduce((sum, count) => sum + count, attempts), more: counts.includes(PAGE) }
}

/** The name of the CTE that deletes from a table and returns one row per deleted row. */
const deletedFrom = (table: Table) => sql.identifier(`${getTableName(table)}_deleted`)

const countDeleted = (table: Table) => sql`(select count(*) from ${deletedFrom(table)})::integer`

function deleteFrom(key: PgColumn, condition: SQL): SQL {
  const { table } = key
  return sql`${deletedFrom(table)} as (
      delete from ${table} where ${condition}
        and ${key} = any (array(select ${key} from ${table} where ${condition} limit ${PAGE}::integer))
      returning 1
    )`
}

/** Records which jobs succeeded. */
export async function recordRuns(db: Db, names: readonly string[], now: Date): Promise<void> {
  if (names.length === 0) return
  await db
    .insert(job_runs)
    .values(names.map((name) => ({ name, succeeded_at: now.toISOString() })))
    .onConflictDoUpdate({
      target: job_runs.name,
      set: { succeeded_at: sql`greatest(${job_runs.succeeded_at}, excluded.succeeded_at)` },
    })
}
