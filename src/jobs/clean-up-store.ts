import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'

const ROWS_PER_RUN = 1_000

const ago = (now: Date, interval: string) => sql`${now.toISOString()}::timestamptz - ${interval}::interval`

/**
 * Deletes rows whose time is over, of each table at most a thousand: first answers after 48 hours, deliveries with
 * their attempts, and events without deliveries, after 30 days, ended sessions after 90 days, notifications after a
 * year, and marks of usage folds after a day. First answers hold for 24 hours: also a run whose clock is a day ahead
 * takes none that is still to be repeated.
 *
 * @returns how many rows are gone
 */
export async function deleteExpired(db: Db, now: Date): Promise<number> {
  const result = await db.execute<{ deleted: number }>(sql`
    with ${list([
      expired('idempotency_keys', 'scope', sql`created_at < ${ago(now, '48 hours')}`),
      expired('sessions', 'id', sql`least(ended_at, expires_at) < ${ago(now, '90 days')}`),
      expired('notifications', 'id', sql`created_at < ${ago(now, '365 days')}`),
      expired('usage_folds', 'id', sql`folded_at < ${ago(now, '24 hours')}`),
    ])}, old as (
      select id, event_id from webhook_deliveries
      where status <> 'pending' and created_at < ${ago(now, '30 days')} order by created_at limit ${ROWS_PER_RUN}::integer
    ), attempts as (
      delete from webhook_attempts a using old where a.delivery_id = old.id returning 1
    ), deliveries as (
      delete from webhook_deliveries d using old where d.id = old.id returning 1
    )
    select ((select count(*) from idempotency_keys_gone) + (select count(*) from sessions_gone)
      + (select count(*) from notifications_gone) + (select count(*) from usage_folds_gone)
      + (select count(*) from attempts) + (select count(*) from deliveries))::integer as deleted`)
  const events = await db.execute(sql`
    delete from webhook_events where id in (
      select e.id from webhook_events e
      where e.created_at < ${ago(now, '30 days')}
        and not exists (select from webhook_deliveries d where d.event_id = e.id)
      order by e.created_at limit ${ROWS_PER_RUN}::integer)
    returning id`)
  return (result.rows[0]?.deleted ?? 0) + events.rows.length
}

function expired(table: string, key: string, condition: SQL): SQL {
  const name = sql.identifier(table)
  const id = sql.identifier(key)
  return sql`${sql.identifier(`${table}_gone`)} as (
      delete from ${name} where ${id} in (select ${id} from ${name} where ${condition} limit ${ROWS_PER_RUN}::integer)
      returning 1
    )`
}

function list(parts: readonly SQL[]): SQL {
  return sql.join([...parts], sql`, `)
}
