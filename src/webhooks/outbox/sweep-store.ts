import { sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { webhook_deliveries } from '../../db/schema.ts'
import { republishAt, timestamptz } from '../../db/sql.ts'
import { flowColumns, type Publication } from './store.ts'

const GRACE_SECONDS = 30 // time for the Worker that created or claimed it, and for QStash's own retry
const PAGE = 1_000
const PAGE_OF_PLATFORM = 500

/**
 * Pending deliveries that QStash does not have or has had for too long, and deliveries whose attempt was interrupted (that
 * attempt is published again, and the relay settles it). Platforms take turns, each with its most overdue delivery first,
 * so that a platform with 100,000 of them does not delay the others.
 */
export async function findUnpublished(db: Db, now: Date): Promise<Publication[]> {
  const at = timestamptz(now)
  const recent = sql`${at} - make_interval(secs => ${GRACE_SECONDS}::integer)`
  const most = sql`limit ${PAGE_OF_PLATFORM}::integer`
  // Each branch reads an ordered range of an index, without the deliveries that QStash has and that are not overdue.
  const mine = sql`select * from webhook_deliveries where platform_id = w.platform_id and status = 'pending'
            and (lease_until is null or lease_until < ${recent})`
  const result = await db.execute<Publication>(sql`
    with recursive waiting as (
      (select platform_id from webhook_deliveries where status = 'pending' order by platform_id limit 1)
      union all
      select after.platform_id from waiting w cross join lateral (
        select d.platform_id from webhook_deliveries d
        where d.status = 'pending' and d.platform_id > w.platform_id order by d.platform_id limit 1
      ) after
    )
    select found.delivery_id, e.type, found.publish_count, found.due_at, found.attempt, ${flowColumns(sql`p`, sql`o`)}
    from waiting w cross join lateral (
      select one.*, row_number() over (order by one.due_at, one.delivery_id) as turn from (
        select d.id as delivery_id, d.event_id, d.publish_count, d.next_attempt_at as due_at,
          case when d.lease_until is null then d.attempts + 1 else d.attempts end as attempt
        from (
          (${mine} and published_at is null and created_at < ${recent} order by next_attempt_at ${most})
          union all
          (${mine} and published_at is not null and ${republishAt(webhook_deliveries)} < ${at} at time zone 'utc'
            order by ${republishAt(webhook_deliveries)} ${most})
        ) d
        order by d.next_attempt_at ${most}
      ) one
    ) found join webhook_events e on e.id = found.event_id
    join platforms p on p.id = w.platform_id join operators o on o.id = p.operator_id
    order by found.turn, found.due_at limit ${PAGE}::integer`)
  return result.rows
}
