import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import type { webhook_events } from '../../db/schema.ts'
import { timestamptz } from '../../db/sql.ts'
import { type OwnPlatform, ownPlatformNotFound } from '../../wire/own-platform.ts'
import { LIST_DEPTH, offsetOf } from '../../wire/page.ts'
import type { Delivery, DeliveryDetail } from './responses.ts'
import type { DeliveryQuery } from './schema.ts'

/** The common table expression `platform (id)`: no row if there is none, or it belongs to another operator. */
export function ownPlatformCte({ slug, operator_id }: OwnPlatform): SQL {
  return sql`platform as (
      select id from platforms where slug = ${slug} and operator_id = ${operator_id}::uuid
    )`
}

/** The API representation of a delivery `d`. */
const ITEM = itemOf(sql`d`)

/** The API representation of a delivery, from its row. */
export function itemOf(d: SQL): SQL {
  return sql`jsonb_build_object('id', ${d}.id, 'event_id', ${d}.event_id, 'type', ${d}.type, 'status', ${d}.status,
  'attempts', ${d}.attempts, 'created_at', wire_time(${d}.created_at),
  'next_attempt_at', wire_time(${d}.next_attempt_at),
  'delivered_at', wire_time(${d}.delivered_at))`
}

/**
 * A page of a platform's deliveries, newest first.
 *
 * @param item the representation of a delivery `d`; that of the API by default
 * @returns `total` is at most `LIST_DEPTH`, where the list ends
 * @throws ApiError NOT_FOUND if the operator has no such platform
 */
export async function requireDeliveries<Item = Delivery>(
  db: Db,
  platform: OwnPlatform,
  query: DeliveryQuery,
  item = ITEM,
): Promise<{ total: number; data: Item[] }> {
  const { rows } = await db.execute<{ total: number; data: Item[] }>(sql`
    with ${ownPlatformCte(platform)}, newest as materialized (
      select d.id, d.event_id, d.created_at from webhook_deliveries d
      where d.platform_id = (select id from platform) ${filters(query)}
      order by d.created_at desc, d.id desc limit ${LIST_DEPTH}::integer
    ), matching as materialized (
      select id, created_at from newest ${about(query)}
    ), page as (
      select id from matching order by created_at desc, id desc
      limit ${query.per_page}::integer offset ${offsetOf(query)}::bigint
    )
    select (select count(*) from matching)::integer as total,
      coalesce((select jsonb_agg(${item} order by d.created_at desc, d.id desc) from page
        join webhook_deliveries d on d.id = page.id), '[]'::jsonb) as data
    from platform`)
  if (!rows[0]) throw ownPlatformNotFound(platform.slug)
  return rows[0]
}

/** Always includes a lower bound of `created_at`: without it, the planner can choose the index by type for all types. */
function filters({ status, type, from, to }: DeliveryQuery): SQL {
  const conditions = [sql`and d.created_at >= ${timestamptz(from ?? '-infinity')}`]
  if (type) conditions.push(sql`and d.type = ${type}`)
  if (status) conditions.push(sql`and d.status = ${status}`)
  if (to) conditions.push(sql`and d.created_at < ${timestamptz(to)}`)
  return sql.join(conditions, sql` `)
}

/** Only deliveries of events about an agent, which is in `reg` or among the `regs` of an operator's event. */
function about({ reg }: DeliveryQuery): SQL | undefined {
  return reg === undefined
    ? undefined
    : sql`where (select e.data ->> 'reg' = ${reg} or e.data -> 'regs' ? ${reg} from webhook_events e where e.id = event_id)`
}

type Found = {
  item: Delivery
  event_created_at: string
  data: typeof webhook_events.$inferSelect.data
  attempt_log: DeliveryDetail['attempt_log']
}

/** A delivery with its attempts and its event; null if the operator's platform has no such delivery. */
export async function findDelivery(db: Db, platform: OwnPlatform, id: string): Promise<Found | null> {
  const result = await db.execute<Found>(sql`
    with ${ownPlatformCte(platform)}
    select ${ITEM} as item, wire_time(e.created_at) as event_created_at, sent_data(e.data) as data,
      coalesce((select jsonb_agg(jsonb_build_object('number', a.number, 'started_at', wire_time(a.started_at),
        'duration_ms', a.duration_ms, 'response_status', a.response_status, 'error', a.error,
        'response_excerpt', a.response_excerpt) order by a.number)
        from webhook_attempts a where a.delivery_id = d.id), '[]'::jsonb) as attempt_log
    from platform p join webhook_deliveries d on d.platform_id = p.id join webhook_events e on e.id = d.event_id
    where d.id = ${id}::uuid`)
  return result.rows[0] ?? null
}
