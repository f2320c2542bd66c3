import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { timestamptz } from '../db/sql.ts'
import { only } from '../db/transaction.ts'

export type Health = {
  jobs: Record<string, string>
  oldest_pending_delivery_seconds: number | null
  oldest_unscored_agent_seconds: number | null
  oldest_unlogged_event_seconds: number | null
  oldest_pending_mail_seconds: number | null
  log: { size: number; signed_size: number; paused: boolean }
  migrations: number
}

/**
 * When each job last succeeded (ISO 8601); how long the oldest due delivery, unscored agent, unlogged event, and
 * mail that was never tried have waited, in seconds; the state of the transparency log; and the number of applied migrations.
 */
export async function findHealth(db: Db, now: Date): Promise<Health> {
  const age = (since: SQL) =>
    // greatest() ignores null: without the case, an empty queue would be 0 instead of null
    sql`case when ${since} is not null
      then round(greatest(0, extract(epoch from ${timestamptz(now)} - ${since})))::float8 end`
  const result = await db.execute<Health>(sql`
    select
      coalesce((select jsonb_object_agg(name, wire_time(succeeded_at)) from job_runs), '{}'::jsonb) as jobs,
      (select ${age(sql`min(next_attempt_at)`)} from webhook_deliveries where status = 'pending'
        and next_attempt_at < ${timestamptz(now)}) as oldest_pending_delivery_seconds,
      (select ${age(sql`min(unscored_since)`)} from agent_stats where unscored_since is not null)
        as oldest_unscored_agent_seconds,
      (select ${age(sql`min(unlogged_since)`)} from agent_stats where unlogged_since is not null)
        as oldest_unlogged_event_seconds,
      (select ${age(sql`min(created_at)`)} from mails where status = 'pending' and attempts = 0)
        as oldest_pending_mail_seconds,
      (select json_build_object('size', size, 'paused', paused is not null, 'signed_size',
        coalesce((select h.size from tlog_heads h order by h.size desc limit 1), 0)) from tlog_state) as log,
      (select count(*)::integer from drizzle.__drizzle_migrations) as migrations`)
  return only(result.rows)
}
