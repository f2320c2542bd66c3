import { sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import type { EventType, Tier } from '../../db/enums.ts'
import type { platforms, webhook_deliveries, webhook_events } from '../../db/schema.ts'
import { timestamptz } from '../../db/sql.ts'
import { utcDay } from '../../lib/time.ts'
import { notifyOperators } from '../../notifications/store.ts'
import { flowColumns, type Publication } from '../outbox/store.ts'
import { UNRESERVED_PER_DAY, UNRESPONSIVE_PER_DAY, unresponsiveToday } from '../outbox/unresponsive-store.ts'
import { LEASE_MS } from '../schedule.ts'

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
    host: string | null
    /**
     * What this call decided: to `send` the attempt, which it has claimed; to `move` it to the flow of the URL's new host;
     * to `skip` the delivery; null if it is not the next attempt.
     */
    fate: 'send' | 'move' | 'skip' | null
    /** Whether it counts toward the daily limit of attempts to URLs that have never returned 2xx. */
    counted: boolean
    published: boolean
    /** When the newest attempt started; null before the first. */
    started_at: string | null
    type: EventType
  }

const PAUSED_BODY =
  `Today, ${UNRESERVED_PER_DAY} webhook attempts went to URLs of your platforms that have never returned status 2xx. ` +
  'Until 00:00 UTC, events for such a URL are skipped. Send it a test event: as soon as it returns 2xx, events are sent ' +
  'again, and you can recover the skipped ones.'

/**
 * Claims attempt n of a delivery for the lease, if it is the next one, was published for the current host, and does not
 * exceed the operator's daily limit of attempts to URLs that have never returned 2xx. The limit is counted under the lock of
 * the operator's row, and the operator is notified when it is reached. If webhooks are currently not sent to the platform,
 * or the limit is exceeded, the delivery is skipped.
 *
 * @param host for which the attempt was published
 * @returns the state before the claim, and what it decided; null if there is no such delivery
 */
export async function claimAttempt(
  db: Db,
  { delivery_id, attempt, host }: Pick<Publication, 'delivery_id' | 'attempt' | 'host'>,
  now: Date,
): Promise<Claim | null> {
  const at = timestamptz(now)
  const leaseUntil = timestamptz(new Date(now.getTime() + LEASE_MS))
  const used = unresponsiveToday(sql`o`, now)
  const reached = sql`
        select operator_id, null::text as reg, 'Webhooks to URLs that never returned 2xx are paused' as title,
          ${PAUSED_BODY}::text as body
        from counted where unresponsive_attempts = ${UNRESERVED_PER_DAY}::integer`
  // This call proves that the attempt was published, even if that was not recorded: its deduplication id is used up.
  const result = await db.execute<Claim>(sql`
    with found as materialized (
      select d.id, d.status, d.attempts, d.publish_count, d.lease_until, d.next_attempt_at,
        d.published_at is not null as published, e.id as event_id, e.type, e.created_at, sent_data(e.data) as data,
        ${flowColumns(sql`p`, sql`o`)}, p.webhook_url, p.webhook_secret,
        case when p.previous_webhook_secret_until > ${at} then p.previous_webhook_secret end as previous_webhook_secret,
        d.status = 'pending' and d.attempts = ${attempt}::integer - 1 as is_next,
        webhook_host(p.webhook_url) is distinct from ${host}::text as is_moved, p.last_response_at is null as is_unresponsive,
        p.status = 'active' and p.webhook_status = 'enabled' and p.webhook_url is not null and o.status = 'active' as is_open
      from webhook_deliveries d join webhook_events e on e.id = d.event_id
      join platforms p on p.id = d.platform_id join operators o on o.id = p.operator_id
      where d.id = ${delivery_id}::uuid for no key update of d
    ), counted as (
      update operators o set unresponsive_day = greatest(o.unresponsive_day, ${utcDay(now)}::date),
        unresponsive_attempts = ${used} + 1
      from found f where o.id = f.operator_id and is_next and is_open and is_unresponsive and not is_moved
        and ${used} < case when data @> '{"test": true}' then ${UNRESPONSIVE_PER_DAY}::integer else ${UNRESERVED_PER_DAY}::integer end
      returning o.id as operator_id, o.unresponsive_attempts
    ), judged as (
      select id, case when not is_open then 'skip' when is_moved then 'move'
        when is_unresponsive and not exists (select from counted) then 'skip' else 'send' end as fate
      from found where is_next
    ), claimed as (
      update webhook_deliveries d set
        status = case fate when 'skip' then 'skipped' else 'pending' end,
        attempts = case fate when 'send' then ${attempt}::integer else d.attempts end,
        next_attempt_at = case fate when 'skip' then null else d.next_attempt_at end,
        lease_until = case fate when 'send' then ${leaseUntil} end,
        published_at = null, publish_count = greatest(d.publish_count, 1)
      from judged j where d.id = j.id
      returning fate
    ), started as (
      insert into webhook_attempts (delivery_id, number, started_at)
      select id, ${attempt}::integer, ${at} from judged where fate = 'send'
    )
    select f.*, (select fate from claimed) as fate, exists (select from counted) as counted,
      (select a.started_at from webhook_attempts a where a.delivery_id = f.id and a.number = f.attempts) as started_at,
      ${notifyOperators('webhook_disabled', reached, now)} as notified
    from found f`)
  return result.rows[0] ?? null
}
