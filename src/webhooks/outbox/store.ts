import { and, eq, isNotNull, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import type { EventType, Tier } from '../../db/enums.ts'
import { webhook_deliveries } from '../../db/schema.ts'
import { eachUuid, jsonb, timestamptz } from '../../db/sql.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { isNotified, isReceiving } from './audience-store.ts'
import type { EventHead } from './events.ts'

/** What a statement takes of the outbox: once, as its names would otherwise stand twice, which Postgres rejects. */
export interface Outbox {
  /** Common table expressions. */
  ctes: SQL
  /** The name of the last one: `id, event_id, platform_id, type, status, created_at` of each delivery made. */
  queued: SQL
  /** A column after them: the deliveries to publish, `Publication[]` or null. */
  pending: SQL
}

/** The columns `event_id, type, created_at` of an event that goes into the outbox. */
export function eventColumns({ event_id, type, created_at }: EventHead): SQL {
  return sql`${event_id}::text as event_id, ${type}::text as type, ${timestamptz(created_at)} as created_at`
}

/**
 * Stores events and queues a delivery of each to its agent's platform, when that is notified of such an agent and wants the
 * type; where webhooks do not go out now, it is skipped. Every event of an agent passes here: nothing else decides.
 *
 * @param outgoing selects `event_id, type, created_at, data`, and of the agent `platform_id, platform_state`: a row for each
 * event and platform, none of it stored where the platform is null
 */
export function toOutbox(outgoing: SQL, now: Date): Outbox {
  const addressed = sql`
      select n.event_id, n.type, n.created_at, n.data, p.id as platform_id,
        case when ${isReceiving(sql`p`, sql`o`)} then 'pending' else 'skipped' end as status
      from (${outgoing}) n join platforms p on p.id = n.platform_id join operators o on o.id = p.operator_id
      where ${isNotified(sql`p`, sql`n.platform_state`, sql`n.type`)} and p.webhook_url is not null
        and (p.event_types is null or n.type = any (p.event_types))`
  return queueEvents(addressed, now)
}

/**
 * Stores events and queues their deliveries, whatever the platforms want.
 *
 * @param addressed selects `event_id, type, created_at, data, platform_id`, and the `status` of the delivery
 */
export function queueEvents(addressed: SQL, now: Date): Outbox {
  const deliveries = queueDeliveries(sql`select * from addressed`, now)
  return {
    ...deliveries,
    ctes: sql`addressed as (${addressed}), new_events as (
      insert into webhook_events (id, type, created_at, data)
      select distinct on (event_id) event_id, type, created_at, data from addressed
    ), ${deliveries.ctes}`,
  }
}

/**
 * Queues deliveries of stored events; those that are pending are due at once.
 *
 * @param rows selects `event_id, platform_id, type, status, created_at` of each
 * @param most how many of them are published at once; the sweep finds the rest
 */
export function queueDeliveries(rows: SQL, now: Date, most?: number): Outbox {
  const limit = most === undefined ? undefined : sql`limit ${most}::integer`
  return {
    ctes: sql`queued as (
      insert into webhook_deliveries (id, event_id, platform_id, type, status, next_attempt_at, created_at)
      select ${eachUuid(uuidv7(now))}, event_id, platform_id, type, status,
        case status when 'pending' then created_at end, created_at
      from (${rows}) d
      returning id, event_id, platform_id, type, status, created_at
    )`,
    queued: sql`queued`,
    pending: sql`(select jsonb_agg(to_jsonb(due)) from (
        select q.id as delivery_id, q.type, 1 as attempt, 0 as publish_count, ${addressee(sql`p`, sql`o`)}
        from queued q join platforms p on p.id = q.platform_id join operators o on o.id = p.operator_id
        where q.status = 'pending' ${limit}) due)`,
  }
}

/** The columns of a publication that tell whose flow it belongs to. */
export function addressee(platform: SQL, operator: SQL): SQL {
  return sql`${platform}.operator_id, ${operator}.tier, ${platform}.webhook_url`
}

/** An attempt that QStash shall ask us for. */
export type Publication = Pick<typeof webhook_deliveries.$inferSelect, 'publish_count'> & {
  delivery_id: string
  /** The platform's operator, its tier, and where its webhooks go. */
  operator_id: string
  tier: Tier
  webhook_url: string | null
  type: EventType
  attempt: number
  /** When the attempt is due, ISO 8601; absent means now. */
  due_at?: string
}

/** Remembers that attempts were handed to QStash. */
export async function markPublished(db: Db, publications: readonly Publication[], now: Date): Promise<void> {
  // Locked in one order: a request and two sweeps may write down overlapping batches at once.
  await db.execute(sql`
    with p as (
      select * from jsonb_to_recordset(${jsonb(publications)}) as p (delivery_id uuid, attempt integer)
    ), locked as materialized (
      select id from webhook_deliveries where id in (select delivery_id from p) order by id for no key update
    )
    update webhook_deliveries d
    set published_at = ${timestamptz(now)}, publish_count = d.publish_count + 1
    from p join locked on locked.id = p.delivery_id
    where d.id = p.delivery_id and d.status = 'pending'
      and (d.attempts = p.attempt - 1 or d.attempts = p.attempt and d.lease_until is not null)`)
}

/** Forgets that a delivery was published, so that the sweep finds it. */
export async function clearPublished(db: Db, deliveryId: string, attempt: number): Promise<void> {
  const { id, status, attempts, lease_until } = webhook_deliveries
  const isUnderWay = and(eq(attempts, attempt), isNotNull(lease_until))
  await db
    .update(webhook_deliveries)
    .set({ published_at: null })
    .where(and(eq(id, deliveryId), eq(status, 'pending'), or(eq(attempts, attempt - 1), isUnderWay)))
}
