import { sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { timestamptz, wireTime } from '../../db/sql.ts'
import type { OwnPlatform } from '../../wire/own-platform.ts'
import { flowColumns, type Publication } from '../outbox/store.ts'
import type { Delivery } from './responses.ts'
import { type Closed, ITEM, openPlatform } from './store.ts'

export type Retried = {
  closed: Closed | null
  /** The delivery after this call; null if the operator's platform has no such delivery. */
  item: Delivery | null
  /** Whether an attempt is in progress, so that none can be moved. */
  leased: boolean
  /** The attempt that was moved, to publish immediately; null if none was, or if it was already due. */
  deliveries: Publication[] | null
}

/**
 * Reschedules the next attempt of a pending delivery for now. Its number stays the same, so that only one of the two
 * messages, for the old and the new time, can claim it. The publish count increases, so that QStash does not discard the
 * new message as a duplicate.
 */
export async function retryNow(db: Db, platform: OwnPlatform, id: string, now: Date): Promise<Retried> {
  const at = timestamptz(now)
  const result = await db.execute<Retried>(sql`
    with ${openPlatform(platform, now)}, d as materialized (
      select d.*, p.closed from platform p join webhook_deliveries d on d.platform_id = p.id
      where d.id = ${id}::uuid for no key update of d
    ), moved as (
      update webhook_deliveries w
      set next_attempt_at = ${at}, published_at = null, publish_count = w.publish_count + 1
      from d where w.id = d.id and d.closed is null and d.status = 'pending' and d.lease_until is null
        and d.next_attempt_at > ${at}
      returning w.id as delivery_id, w.platform_id, w.type, w.attempts + 1 as attempt, w.publish_count
    )
    select d.closed, d.lease_until is not null as leased,
      ${ITEM} || case when exists (select from moved) then jsonb_build_object('next_attempt_at', ${wireTime(at)}) else '{}' end
        as item,
      (select jsonb_agg(to_jsonb(due)) from (
        select m.delivery_id, m.type, m.attempt, m.publish_count, ${flowColumns(sql`p`, sql`o`)}
        from moved m join platforms p on p.id = m.platform_id join operators o on o.id = p.operator_id) due) as deliveries
    from d`)
  return result.rows[0] ?? { closed: null, item: null, leased: false, deliveries: null }
}
