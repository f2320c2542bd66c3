import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import type { Publication } from './store.ts'

const GRACE_SECONDS = 30 // the Worker that made or claimed it is still at work, or QStash is about to call again
const REPUBLISH_AFTER_SECONDS = 600 // doubled with each publication: flow control may rightly hold messages back
const DOUBLINGS_MAX = 10

/**
 * Pending deliveries that QStash does not know of, has had for too long, or whose attempt was cut off by a crash
 * (then that attempt itself is asked for again, and the relay settles it). Platforms take turns, each with its most
 * overdue first: one with a hundred thousand of them keeps no other waiting.
 *
 * @param limits how many in all, and of one platform
 */
export async function findUnpublished(
  db: Db,
  now: Date,
  { total, perPlatform }: { total: number; perPlatform: number },
): Promise<Publication[]> {
  const before = (seconds: SQL) => sql`${now.toISOString()}::timestamptz - make_interval(secs => ${seconds})`
  const result = await db.execute<Publication>(sql`
    with recursive waiting as (
      (select platform_id from webhook_deliveries where status = 'pending' order by platform_id limit 1)
      union all
      select after.platform_id from waiting w cross join lateral (
        select d.platform_id from webhook_deliveries d
        where d.status = 'pending' and d.platform_id > w.platform_id order by d.platform_id limit 1
      ) after
    )
    select found.delivery_id, w.platform_id, e.type, found.publish_count, found.due_at, found.attempt
    from waiting w cross join lateral (
      select one.*, row_number() over (order by one.due_at, one.delivery_id) as turn from (
        select d.id as delivery_id, d.event_id, d.publish_count, d.next_attempt_at as due_at,
          case when d.lease_until is null then d.attempts + 1 else d.attempts end as attempt
        from webhook_deliveries d
        where d.platform_id = w.platform_id and d.status = 'pending'
          and (d.lease_until is null or d.lease_until < ${before(sql`${GRACE_SECONDS}::integer`)})
          and case when d.published_at is null
            then d.created_at < ${before(sql`${GRACE_SECONDS}::integer`)}
            else d.next_attempt_at < ${now.toISOString()}::timestamptz and d.published_at < ${before(
              sql`${REPUBLISH_AFTER_SECONDS}::integer * power(2, least(d.publish_count, ${DOUBLINGS_MAX}::integer))`,
            )} end
        order by d.next_attempt_at limit ${perPlatform}::integer
      ) one
    ) found join webhook_events e on e.id = found.event_id
    order by found.turn, found.due_at limit ${total}::integer`)
  return result.rows
}
