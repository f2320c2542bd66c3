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
  webhook_deliveries,
  webhook_events,
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
 * @returns the number of deleted rows, and whether a table may have more: a page that a concurrent run deletes at the same
 * time is not the last one
 */
export async function deleteExpired(db: Db, now: Date): Promise<{ deleted: number; more: boolean }> {
  const { rows } = await db.execute<Deleted>(sql`
    with ${deleteFrom(idempotency_keys.scope, sql`created_at`, ago(now, '48 hours'))},
    ${deleteFrom(sessions.id, sql`least(ended_at, expires_at)`, ago(now, '90 days'))},
    ${deleteFrom(notifications.id, sql`created_at`, ago(now, '365 days'))},
    ${deleteFrom(mails.id, sql`created_at`, ago(now, '30 days'))},
    ${deleteFrom(usage_folds.id, sql`folded_at`, ago(now, '24 hours'))},
    ${deleteFrom(webhook_deliveries.id, sql`created_at`, ago(now, '30 days'), sql`status <> 'pending'`)},
    webhook_attempts_deleted as (
      delete from webhook_attempts where delivery_id = any (array(select id from ${deletedFrom(webhook_deliveries)}))
    )
    ${countOf([idempotency_keys, sessions, notifications, mails, usage_folds, webhook_deliveries])}`)
  // While a backlog is deleted, events newer than the oldest ended delivery are skipped: most still have deliveries. The
  // look-up is a scalar subquery because "not exists" would be planned as a join with all deliveries.
  const lone = sql`created_at <= coalesce(
        (select min(created_at) from webhook_deliveries where status <> 'pending'), 'infinity'::timestamptz)
      and (select d.id from webhook_deliveries d where d.event_id = webhook_events.id limit 1) is null`
  const events = await db.execute<Deleted>(sql`
    with ${deleteFrom(webhook_events.id, sql`created_at`, ago(now, '30 days'), lone)}
    ${countOf([webhook_events])}`)
  const pages = [...rows, ...events.rows]
  return {
    deleted: pages.reduce((sum, { deleted }) => sum + deleted, 0),
    more: pages.some(({ found }) => found === PAGE),
  }
}

type Deleted = { found: number; deleted: number }

const foundIn = (table: Table) => sql.identifier(`${getTableName(table)}_found`)
const deletedFrom = (table: Table) => sql.identifier(`${getTableName(table)}_deleted`)

/** The CTEs that find and delete a page of rows from before a time; a row that was renewed in the meantime stays. */
function deleteFrom(key: PgColumn, time: SQL, before: SQL, condition = sql`true`): SQL {
  const { table, name } = key
  const id = sql.identifier(name)
  return sql`${foundIn(table)} as materialized (
      select ${id} from ${table} where ${time} < ${before} and ${condition} order by ${time} limit ${PAGE}::integer
    ), ${deletedFrom(table)} as (
      delete from ${table} where ${id} = any (array(select ${id} from ${foundIn(table)}))
        and ${time} < ${before} and ${condition}
      returning ${id}
    )`
}

function countOf(tables: readonly Table[]): SQL {
  const counts = tables.map(
    (table) => sql`select (select count(*)::integer from ${foundIn(table)}) as found,
      (select count(*)::integer from ${deletedFrom(table)}) as deleted`,
  )
  return sql.join(counts, sql` union all `)
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
