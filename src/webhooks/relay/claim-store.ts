import { sql } from 'drizzle-orm'
import { LEASE_MS } from '../../api/relay.ts'
import type { Db } from '../../db/client.ts'
import type { EventType, Tier } from '../../db/enums.ts'
import type { platforms, webhook_deliveries, webhook_events } from '../../db/schema.ts'
import { timestamptz } from '../../db/sql.ts'
import { isReceiving } from '../outbox/audience-store.ts'
import { flowColumns } from '../outbox/store.ts'

type Delivery = typeof webhook_deliveries.$inferSelect
type Event = typeof webhook_events.$inferSelect
type Platform = typeof platforms.$inferSelect

/** `previous_webhook_secret` is null once it is no longer used to sign. */
export type Claim = Pick<
  Delivery,
  'status' | 'attempts' | 'publish_count' | 'lease_until' | 'next_attempt_at' | 'event_id'
> &
  Pick<Event, 'created_at' | 'data'> &
  Pick<Platform, 'operator_id' | 'webhook_url' | 'webhook_secret' | 'previous_webhook_secret'> & {
    tier: Tier
    claimed: boolean
    published: boolean
    /** When the newest attempt started; null before the first. */
    started_at: string | null
    type: EventType
  }

/**
 * Claims attempt n of a delivery for the lease, if it is the next one. If webhooks are currently not sent to the platform,
 * the delivery is skipped instead.
 *
 * @returns the state after the claim, and whether this call made it; null if there is no such delivery
 */
export async function claimAttempt(
  db: Db,
  deliveryId: string,
  attempt: number,
  now: Date,
): Promise<Claim | null> {
  const at = timestamptz(now)
  const leaseUntil = timestamptz(new Date(now.getTime() + LEASE_MS))
  // This call proves that the attempt was published, even if that was not recorded: its deduplication id is used up.
  const result = await db.execute<Claim>(sql`
    with claimed as (
      update webhook_deliveries d set
        status = case when p.open then 'pending' else 'skipped' end,
        attempts = case when p.open then ${attempt}::integer else d.attempts end,
        next_attempt_at = case when p.open then d.next_attempt_at end,
        lease_until = case when p.open then ${leaseUntil} end,
        published_at = null, publish_count = greatest(d.publish_count, 1)
      from (select p.id, ${isReceiving(sql`p`, sql`o`)} as open
        from platforms p join operators o on o.id = p.operator_id) p
      where d.id = ${deliveryId}::uuid and p.id = d.platform_id and d.status = 'pending'
        and d.attempts = ${attempt}::integer - 1
      returning d.id, d.status, p.open
    ), started as (
      insert into webhook_attempts (delivery_id, number, started_at)
      select id, ${attempt}::integer, ${at} from claimed where open
    )
    select coalesce(c.open, false) as claimed, ${flowColumns(sql`p`, sql`o`)}, coalesce(c.status, d.status) as status, d.attempts,
      d.publish_count, d.lease_until, d.next_attempt_at, d.published_at is not null as published,
      (select a.started_at from webhook_attempts a where a.delivery_id = d.id and a.number = d.attempts) as started_at,
      e.id as event_id, e.type, e.created_at, e.data, p.webhook_secret,
      case when p.previous_webhook_secret_until > ${at} then p.previous_webhook_secret end
        as previous_webhook_secret
    from webhook_deliveries d
    join webhook_events e on e.id = d.event_id
    join platforms p on p.id = d.platform_id
    join operators o on o.id = p.operator_id
    left join claimed c on c.id = d.id
    where d.id = ${deliveryId}::uuid`)
  return result.rows[0] ?? null
}
