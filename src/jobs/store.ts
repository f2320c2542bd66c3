import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'

/** Rows are deleted by an array of their keys: joined with its page, a large table may be read whole. */
const PAGE = 1_000

const ago = (now: Date, interval: string) => sql`${now.toISOString()}::timestamptz - ${interval}::interval`

/**
 * Deletes rows whose time is over, of each table at most a thousand: first answers after 48 hours, deliveries with
 * their attempts, and events without deliveries, after 30 days, ended sessions after 90 days, notifications after a
 * year, and marks of usage folds after a day. First answers hold for 24 hours: also a run whose clock is a day ahead
 * takes none that is still to be repeated.
 *
 * @returns how many rows are gone, and whether a table may have more
 */
export async function deleteExpired(db: Db, now: Date): Promise<{ deleted: number; more: boolean }> {
  const result = await db.execute<
    Record<'keys' | 'sessions' | 'notifications' | 'folds' | 'attempts' | 'deliveries', number>
  >(sql`
    with ${list([
      expired('idempotency_keys', 'scope', sql`created_at < ${ago(now, '48 hours')}`),
      expired('sessions', 'id', sql`least(ended_at, expires_at) < ${ago(now, '90 days')}`),
      expired('notifications', 'id', sql`created_at < ${ago(now, '365 days')}`),
      expired('usage_folds', 'id', sql`folded_at < ${ago(now, '24 hours')}`),
    ])}, old as (
      select id from webhook_deliveries
      where status <> 'pending' and created_at < ${ago(now, '30 days')} order by created_at limit ${PAGE}::integer
    ), attempts as (
      delete from webhook_attempts where delivery_id = any (array(select id from old)) returning 1
    ), deliveries as (
      delete from webhook_deliveries where id = any (array(select id from old)) returning 1
    )
    select ${gone('idempotency_keys_gone')} as keys, ${gone('sessions_gone')} as sessions,
      ${gone('notifications_gone')} as notifications, ${gone('usage_folds_gone')} as folds,
      ${gone('deliveries')} as deliveries, ${gone('attempts')} as attempts`)
  // Of a backlog only the events as old as the deliveries that are gone: none is older than its event. The look-up is a
  // scalar: "not exists" would be planned as a join with all deliveries.
  const events = await db.execute(sql`
    delete from webhook_events where id = any (array(
      select e.id from webhook_events e
      where e.created_at < ${ago(now, '30 days')}
        and e.created_at <= coalesce(
          (select min(created_at) from webhook_deliveries where status <> 'pending'), 'infinity'::timestamptz)
        and (select d.id from webhook_deliveries d where d.event_id = e.id limit 1) is null
      order by e.created_at limit ${PAGE}::integer))
    returning id`)
  const { attempts = 0, ...limited } = result.rows[0] ?? {}
  const counts = [...Object.values(limited), events.rows.length]
  return { deleted: counts.reduce((sum, count) => sum + count, attempts), more: counts.includes(PAGE) }
}

function gone(name: string): SQL {
  return sql`(select count(*) from ${sql.identifier(name)})::integer`
}

function expired(table: string, key: string, condition: SQL): SQL {
  const name = sql.identifier(table)
  const id = sql.identifier(key)
  return sql`${sql.identifier(`${table}_gone`)} as (
      delete from ${name} where ${condition}
        and ${id} = any (array(select ${id} from ${name} where ${condition} limit ${PAGE}::integer))
      returning 1
    )`
}

function list(parts: readonly SQL[]): SQL {
  return sql.join([...parts], sql`, `)
}

/** Remembers that a job has ended well. */
export async function recordRun(db: Db, name: string, now: Date): Promise<void> {
  await db.execute(sql`
    insert into job_runs as j (name, succeeded_at) values (${name}, ${now.toISOString()}::timestamptz)
    on conflict (name) do update set succeeded_at = greatest(j.succeeded_at, excluded.succeeded_at)`)
}
