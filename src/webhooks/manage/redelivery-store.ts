import { eq, type SQL, sql } from 'drizzle-orm'
import { allowanceOf } from '../../allowances/store.ts'
import { RETRY_DELAY_SECONDS } from '../../api/relay.ts'
import type { Db } from '../../db/client.ts'
import type { EventType } from '../../db/enums.ts'
import { operators, type webhook_deliveries } from '../../db/schema.ts'
import { jsonb, timestamptz, wireTime } from '../../db/sql.ts'
import { transaction } from '../../db/transaction.ts'
import type { OwnPlatform } from '../../wire/own-platform.ts'
import { UNRESPONSIVE_PER_DAY } from '../outbox/audience-store.ts'
import type { EventHead } from '../outbox/events.ts'
import { eventColumns, type Publication, queueDeliveries, queueEvents } from '../outbox/store.ts'
import { type Closed, openPlatform } from './store.ts'

/**
 * Maximum number of events recovered by one call. An event can be recovered again only after its new delivery has ended,
 * so no number of calls sends faster than the limit of webhooks per minute.
 */
const RECOVERED_MAX = 10_000

/** Number of them that are published right after the response; the sweep publishes the rest. */
const PUBLISHED_AT_ONCE = 200

/** A new delivery. */
export type Queued = Pick<typeof webhook_deliveries.$inferSelect, 'id' | 'event_id' | 'created_at'> & {
  type: EventType
}

export type Redelivered = {
  /** False if the operator has no such platform, or the platform has no such delivery. */
  known: boolean
  closed: Closed | null
  /** The id of a pending delivery of the event, which prevented a new one; null if there is none. */
  pending: string | null
  /** Null if nothing was queued. */
  queued: Queued | null
  deliveries: Publication[] | null
}

/**
 * Queues a new delivery of an event to a platform, unless one is pending. Concurrent calls see each other's deliveries,
 * because they are serialized.
 */
export async function redeliver(db: Db, platform: OwnPlatform, id: string, now: Date): Promise<Redelivered> {
  const unlessPending = sql`select old.*, others.newest from old, others where old.closed is null and others.pending is null`
  const { ctes, queued, pending } = queueDeliveries(redeliveries(unlessPending, now), now)
  const row = await serialized<Redelivered>(
    db,
    platform,
    (taking) => sql`
    with ${openPlatform(platform, now)}, old as materialized (
      select d.event_id, d.type, p.id as platform_id, p.closed from platform p join webhook_deliveries d on d.platform_id = p.id
      where d.id = ${id}::uuid for key share of d
    ), others as (
      select max(d.created_at) as newest, max(d.id::text) filter (where d.status = 'pending') as pending
      from old join webhook_deliveries d on d.event_id = old.event_id and d.platform_id = old.platform_id
    ), ${ctes}
    select exists (select from old) as known, (select closed from platform) as closed,
      (select pending from others) as pending, ${queuedDelivery(queued)} as queued, ${pending} as deliveries,
      ${taking(queued)}`,
    now,
  )
  return row ?? { known: false, closed: null, pending: null, queued: null, deliveries: null }
}

export type Recovered = {
  closed: Closed | null
  count: number
  more: boolean
  /** The first of the new deliveries, to publish immediately. */
  deliveries: Publication[] | null
}

/**
 * Queues a new delivery of every event whose newest delivery to the platform failed or was skipped since a time, oldest
 * first, at most 10,000. Events that are pending, or were delivered since, are left out.
 *
 * @returns null if the operator has no such platform
 */
export async function recoverDeliveries(
  db: Db,
  platform: OwnPlatform,
  since: Date,
  now: Date,
): Promise<Recovered | null> {
  const from = timestamptz(since)
  const oldest = sql`select * from found where place <= ${RECOVERED_MAX}::integer`
  const { ctes, queued, pending } = queueDeliveries(redeliveries(oldest, now), now, PUBLISHED_AT_ONCE)
  const row = await serialized<Recovered>(
    db,
    platform,
    (taking) => sql`
    with ${openPlatform(platform, now)}, found as materialized (
      select d.event_id, d.platform_id, d.type, d.created_at as newest, row_number() over (order by d.created_at, d.id) as place
      from webhook_deliveries d
      where d.platform_id = (select id from platform where closed is null)
        and d.status in ('failed', 'skipped') and d.created_at >= ${from} - interval '1 day' and ${endOf(sql`d`)} >= ${from}
        and not ${supersededBy(sql`d`)}
      order by d.created_at, d.id limit ${RECOVERED_MAX + 1}::integer
    ), ${ctes}
    select closed, (select count(*) from ${queued})::integer as count,
      (select count(*) from found) > ${RECOVERED_MAX}::integer as more, ${pending} as deliveries, ${taking(queued)}
    from platform`,
    now,
  )
  return row ?? null
}

/** The approximate time when a delivery failed or was skipped: its last attempt, or when the skipped attempt was due. */
function endOf(d: SQL): SQL {
  const delays = jsonb(RETRY_DELAY_SECONDS)
  return sql`greatest(${d}.created_at, (
          select a.started_at + case ${d}.status when 'skipped'
            then make_interval(secs => (${delays} -> (a.number - 1))::integer) else interval '0' end
          from webhook_attempts a where a.delivery_id = ${d}.id and a.number = ${d}.attempts))`
}

/**
 * Whether an event has a pending delivery to the same platform, or a newer one than this. Written as an aggregate over the
 * deliveries to all platforms, so that the planner always uses the index by event.
 */
function supersededBy(d: SQL): SQL {
  return sql`(select bool_or(n.platform_id = ${d}.platform_id
            and (n.status = 'pending' or (n.created_at, n.id) > (${d}.created_at, ${d}.id)))
          from webhook_deliveries n where n.event_id = ${d}.event_id)`
}

export type Tested = { closed: null; queued: Queued; deliveries: Publication[] | null }

/**
 * Queues a test event for a platform, regardless of its event types.
 *
 * @returns null if the operator has no such platform
 */
export async function queueTest(
  db: Db,
  platform: OwnPlatform,
  event: EventHead,
  data: Record<string, unknown>,
): Promise<{ closed: Closed } | Tested | null> {
  const addressed = sql`
      select ${eventColumns(event)}, id as platform_id, ${jsonb(data)} as data, 'pending' as status
      from platform where closed is null`
  const now = new Date(event.created_at)
  const { ctes, queued, pending } = queueEvents(addressed, now)
  const row = await serialized<{ closed: Closed } | Tested>(
    db,
    platform,
    (taking) => sql`
    with ${openPlatform(platform, now, UNRESPONSIVE_PER_DAY)}, ${ctes}
    select closed, ${queuedDelivery(queued)} as queued, ${pending} as deliveries, ${taking(queued)}
    from platform`,
    now,
  )
  return row ?? null
}

/** The delivery that a statement queued, or null. */
function queuedDelivery(queued: SQL): SQL {
  return sql`(select jsonb_build_object('id', id, 'event_id', event_id, 'type', type,
        'created_at', ${wireTime(sql`created_at`)}) from ${queued})`
}

/** Selects a new delivery for each row `event_id, platform_id, type, newest`, created after the newest one. */
function redeliveries(rows: SQL, now: Date): SQL {
  return sql`
      select o.event_id, o.platform_id, o.type, 'pending' as status,
        greatest(${timestamptz(now)}, o.newest + interval '1 millisecond') as created_at
      from (${rows}) o`
}

/**
 * Runs a statement that queues deliveries to a platform. Statements on the platforms of an operator run one at a time, and
 * one that queues something takes one of its changes.
 *
 * @param statementOf makes the statement with a column that takes the change if the named CTE has rows
 */
async function serialized<Row extends Record<string, unknown>>(
  db: Db,
  platform: OwnPlatform,
  statementOf: (taking: (queued: SQL) => SQL) => SQL,
  now: Date,
): Promise<Row | undefined> {
  const { operator_id, tier } = platform
  const write = transaction(db)
  write.lock(operators, eq(operators.id, operator_id))
  const { taken, error } = allowanceOf(sql`${operator_id}::uuid`, tier, 'changes', now)
  const taking = (queued: SQL) =>
    sql`case when exists (select from ${queued}) then ${write.requirement(taken, error)} end as taken`
  const done = write.add(db.execute<Row>(statementOf(taking)))
  await write.run()
  return done.result.rows[0]
}
