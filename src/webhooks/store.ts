import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import type { EventType } from './events.ts'
import { LEASE_MS, nextAttemptAt } from './schedule.ts'

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
    insert into webhook_deliveries (id, event_id, platform_id, status, next_attempt_at, created_at)
    select delivery_id, event_id, platform_id,
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
  await db.execute(sql`
    update webhook_deliveries d
    set published_at = ${now.toISOString()}::timestamptz, publish_count = d.publish_count + 1
    from jsonb_to_recordset(${JSON.stringify(publications)}::jsonb) as p (delivery_id uuid, attempt integer)
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

export type Claim = {
  claimed: boolean
  platform_id: string
  status: 'pending' | 'delivered' | 'failed' | 'skipped'
  attempts: number
  publish_count: number
  lease_until: string | null
  next_attempt_at: string | null
  published: boolean
  /** When the newest attempt started; null before the first. */
  started_at: string | null
  event_id: string
  type: EventType
  created_at: string
  data: Record<string, unknown>
  webhook_url: string | null
  webhook_secret: string
}

/**
 * Claims attempt n of a delivery if it is the next one: from then on it belongs to the caller for the lease. While
 * the platform's webhook is disabled or has no URL, the delivery is marked as skipped instead.
 *
 * @returns the state after the claim, and whether this call made it; null when there is no such delivery
 */
export async function claimAttempt(
  db: Db,
  deliveryId: string,
  attempt: number,
  now: Date,
): Promise<Claim | null> {
  const at = now.toISOString()
  const leaseUntil = new Date(now.getTime() + LEASE_MS).toISOString()
  const result = await db.execute<Claim>(sql`
    with claimed as (
      update webhook_deliveries d set
        status = case when p.open then 'pending' else 'skipped' end,
        attempts = case when p.open then ${attempt}::integer else d.attempts end,
        lease_until = case when p.open then ${leaseUntil}::timestamptz end, published_at = null
      from (select id, webhook_status = 'enabled' and webhook_url is not null as open from platforms) p
      where d.id = ${deliveryId}::uuid and p.id = d.platform_id and d.status = 'pending'
        and d.attempts = ${attempt}::integer - 1
      returning d.id, d.status, p.open
    ), started as (
      insert into webhook_attempts (delivery_id, number, started_at)
      select id, ${attempt}::integer, ${at}::timestamptz from claimed where open
    )
    select coalesce(c.open, false) as claimed, d.platform_id, coalesce(c.status, d.status) as status, d.attempts,
      d.publish_count, d.lease_until, d.next_attempt_at, d.published_at is not null as published,
      (select a.started_at from webhook_attempts a where a.delivery_id = d.id and a.number = d.attempts) as started_at,
      e.id as event_id, e.type, e.created_at, e.data, p.webhook_url, p.webhook_secret
    from webhook_deliveries d
    join webhook_events e on e.id = d.event_id
    join platforms p on p.id = d.platform_id
    left join claimed c on c.id = d.id
    where d.id = ${deliveryId}::uuid`)
  return result.rows[0] ?? null
}

/** What came of an attempt; all null but `error` when it never came to an answer. */
export interface Outcome {
  duration_ms: number | null
  response_status: number | null
  error: string | null
  response_excerpt: string | null
}

/**
 * Writes the outcome of a claimed attempt and moves its delivery on: delivered, failed after the last attempt, or
 * waiting for the next.
 *
 * @returns when the next attempt is due, or null when there is none, also when another has recorded it before
 */
export async function recordOutcome(
  db: Db,
  attempt: { delivery_id: string; number: number; started_at: Date },
  outcome: Outcome,
  now: Date,
): Promise<Date | null> {
  const delivered =
    outcome.response_status !== null && outcome.response_status >= 200 && outcome.response_status < 300
  const due = delivered ? null : nextAttemptAt(attempt.number, attempt.started_at)
  const status = delivered ? 'delivered' : due ? 'pending' : 'failed'
  const result = await db.execute(sql`
    with moved as (
      update webhook_deliveries set status = ${status}, lease_until = null,
        next_attempt_at = ${due?.toISOString() ?? null}::timestamptz, published_at = null, publish_count = 0,
        delivered_at = ${delivered ? now.toISOString() : null}::timestamptz
      where id = ${attempt.delivery_id}::uuid and status = 'pending' and attempts = ${attempt.number}::integer
        and lease_until is not null
      returning id
    )
    update webhook_attempts a set duration_ms = ${outcome.duration_ms}::integer,
      response_status = ${outcome.response_status}::smallint, error = ${outcome.error},
      response_excerpt = ${outcome.response_excerpt}
    from moved where a.delivery_id = moved.id and a.number = ${attempt.number}::integer
    returning a.number`)
  return result.rows.length > 0 ? due : null
}

const GRACE_SECONDS = 30 // the Worker that made or claimed it is still at work, or QStash is about to call again
const REPUBLISH_AFTER_SECONDS = 600 // doubled with each publication: flow control may rightly hold messages back
const DOUBLINGS_MAX = 10

/**
 * Pending deliveries that QStash does not know of, has had for too long, or whose attempt was cut off by a crash
 * (then that attempt itself is asked for again, and the relay settles it); at most `limit`, the most overdue first.
 */
export async function findUnpublished(db: Db, now: Date, limit: number): Promise<Publication[]> {
  const before = (seconds: SQL) => sql`${now.toISOString()}::timestamptz - make_interval(secs => ${seconds})`
  const result = await db.execute<Publication>(sql`
    select d.id as delivery_id, d.platform_id, e.type, d.publish_count, d.next_attempt_at as due_at,
      case when d.lease_until is null then d.attempts + 1 else d.attempts end as attempt
    from webhook_deliveries d join webhook_events e on e.id = d.event_id
    where d.status = 'pending' and (d.lease_until is null or d.lease_until < ${before(sql`${GRACE_SECONDS}::integer`)})
      and case when d.published_at is null
        then d.created_at < ${before(sql`${GRACE_SECONDS}::integer`)}
        else d.next_attempt_at < ${now.toISOString()}::timestamptz and d.published_at < ${before(
          sql`${REPUBLISH_AFTER_SECONDS}::integer * power(2, least(d.publish_count, ${DOUBLINGS_MAX}::integer))`,
        )} end
    order by d.next_attempt_at limit ${limit}::integer`)
  return result.rows
}
