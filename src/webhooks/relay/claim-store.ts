import { sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import type { EventType } from '../../db/enums.ts'
import { LEASE_MS } from '../outbox/schedule.ts'

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
  /** The secret before the newest, while it still signs. */
  previous_webhook_secret: string | null
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
  // Being called proves that it was published, also when nobody could write that down: its id is used up.
  const result = await db.execute<Claim>(sql`
    with claimed as (
      update webhook_deliveries d set
        status = case when p.open then 'pending' else 'skipped' end,
        attempts = case when p.open then ${attempt}::integer else d.attempts end,
        next_attempt_at = case when p.open then d.next_attempt_at end,
        lease_until = case when p.open then ${leaseUntil}::timestamptz end,
        published_at = null, publish_count = greatest(d.publish_count, 1)
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
      e.id as event_id, e.type, e.created_at, e.data, p.webhook_url, p.webhook_secret,
      case when p.previous_webhook_secret_until > ${at}::timestamptz then p.previous_webhook_secret end
        as previous_webhook_secret
    from webhook_deliveries d
    join webhook_events e on e.id = d.event_id
    join platforms p on p.id = d.platform_id
    left join claimed c on c.id = d.id
    where d.id = ${deliveryId}::uuid`)
  return result.rows[0] ?? null
}
