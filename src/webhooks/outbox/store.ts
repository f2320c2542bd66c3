import { and, eq, isNotNull, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import type { EventType, Tier } from '../../db/enums.ts'
import { webhook_deliveries } from '../../db/schema.ts'
import { eachUuid, jsonb, timestamptz } from '../../db/sql.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { isNotified, isReceiving } from './audience-store.ts'
import type { EventHead } from './events.ts'

/** The SQL fragments that write to the outbox. A statement can use them only once, because their CTEs have fixed names. */
export interface Outbox {
  /** Common table expressions. */
  ctes: SQL
  /** The name of the CTE with the new deliveries: `id, event_id, platform_id, type, status, created_at`. */
  queued: SQL
  /** An expression for the deliveries to publish: `Publication[]` or null. */
  pending: SQL
}

/** The columns `event_id, type, created_at` of an event head. */
export function eventColumns({ event_id, type, created_at }: EventHead): SQL {
  return sql`${event_id}::text as event_id, ${type}::text as type, ${timestamptz(created_at)} as created_at`
}

/**
 * Stores events and queues a delivery of each to its agent's platform, if the platform is notified about this agent and
 * event type; the delivery is skipped if webhooks are currently not sent. All events of agents go through this function.
 *
 * @param outgoing selects `event_id, type, created_at, data`, and the agent's `platform_id, platform_state`: one row per
 * event and platform; rows without a platform are ignored
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
 * Stores events and queues their deliveries, regardless of the platforms' settings.
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
 * Queues deliveries of stored events; pending ones are due immediately.
 *
 * @param rows selects `event_id, platform_id, type, status, created_at`
 * @param most maximum number of deliveries in `pending`; the sweep publishes the rest
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
        select q.id as delivery_id, q.type, 1 as attempt, 0 as publish_count, ${flowColumns(sql`p`, sql`o`)}
        from queued q join platforms p on p.id = q.platform_id join operators o on o.id = p.operator_id
        where q.status = 'pending' ${limit}) due)`,
  }
}

/** The columns of a publication that determine its flow. */
export function flowColumns(platform: SQL, operator: SQL): SQL {
  return sql`${platform}.operator_id, ${operator}.tier, ${platform}.webhook_url`
}

/** An attempt to schedule with QStash. */
export type Publication = Pick<typeof webhook_deliveries.$inferSelect, 'publish_count'> & {
  delivery_id: string
  /** The operator of the platform. */
  operator_id: string
  tier: Tier
  webhook_url: string | null
  type: EventType
  attempt: number
  /** When the attempt is due, ISO 8601; absent means now. */
  due_at?: string
}

/** Marks attempts as published to QStash. */
export async function markPublished(db: Db, publications: readonly Publication[], now: Date): Promise<void> {
  // Locked in a fixed order: a request and two sweeps can mark overlapping batches concurrently.
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

/** Marks an attempt as not published, so that the sweep publishes it again. */
export async function clearPublished(db: Db, deliveryId: string, attempt: number): Promise<void> {
  const { id, status, attempts, lease_until } = webhook_deliveries
  const isInProgress = and(eq(attempts, attempt), isNotNull(lease_until))
  await db
    .update(webhook_deliveries)
    .set({ published_at: null })
    .where(and(eq(id, deliveryId), eq(status, 'pending'), or(eq(attempts, attempt - 1), isInProgress)))
}
