import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import type { EventType } from '../../db/enums.ts'

/**
 * Common table expressions that put events into the outbox. The statement defines before them
 * `news (event_id, delivery_id, platform_id, type, created_at, data)`, and reads `pending` after.
 */
export const OUTBOX: SQL = sql`
  addressed as (
    select news.*, p.webhook_status from news join platforms p on p.id = news.platform_id
    where p.webhook_url is not null and (p.event_types is null or news.type = any (p.event_types))
  ), told as (
    insert into webhook_events (id, type, created_at, data)
    select distinct on (event_id) event_id, type, created_at, data from addressed
  ), queued as (
    insert into webhook_deliveries (id, event_id, platform_id, type, status, next_attempt_at, created_at)
    select delivery_id, event_id, platform_id, type,
      case webhook_status when 'enabled' then 'pending' else 'skipped' end,
      case webhook_status when 'enabled' then created_at end, created_at
    from addressed
    returning id, platform_id, status
  ), pending as (
    select queued.id as delivery_id, queued.platform_id, addressed.type, 1 as attempt, 0 as publish_count
    from queued join addressed on addressed.delivery_id = queued.id where queued.status = 'pending'
  )`

/** The column of an outbox statement that tells which deliveries to publish: `Publication[]` or null. */
export const PENDING: SQL = sql`(select jsonb_agg(to_jsonb(pending)) from pending)`

/** An attempt that QStash shall ask us for. */
export type Publication = {
  delivery_id: string
  platform_id: string
  type: EventType
  attempt: number
  publish_count: number
  /** When the attempt is due, ISO 8601; absent means now. */
  due_at?: string
}

/** Remembers that attempts were handed to QStash. */
export async function markPublished(db: Db, publications: readonly Publication[], now: Date): Promise<void> {
  // Locked in one order: a request and two sweeps may write down overlapping batches at once.
  await db.execute(sql`
    with p as (
      select * from jsonb_to_recordset(${JSON.stringify(publications)}::jsonb) as p (delivery_id uuid, attempt integer)
    ), locked as materialized (
      select id from webhook_deliveries where id in (select delivery_id from p) order by id for no key update
    )
    update webhook_deliveries d
    set published_at = ${now.toISOString()}::timestamptz, publish_count = d.publish_count + 1
    from p join locked on locked.id = p.delivery_id
    where d.id = p.delivery_id and d.status = 'pending'
      and (d.attempts = p.attempt - 1 or d.attempts = p.attempt and d.lease_until is not null)`)
}

/** Forgets that a delivery was published, so that the sweep finds it. */
export async function clearPublished(db: Db, deliveryId: string, attempt: number): Promise<void> {
  await db.execute(sql`
    update webhook_deliveries set published_at = null
    where id = ${deliveryId}::uuid and status = 'pending'
      and (attempts = ${attempt - 1}::integer or attempts = ${attempt}::integer and lease_until is not null)`)
}
