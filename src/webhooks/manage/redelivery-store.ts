import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { takeAllowance } from '../../allowances/store.ts'
import type { Db } from '../../db/client.ts'
import { operators, platforms, webhook_deliveries, webhook_events } from '../../db/schema.ts'
import { jsonb, timestamptz } from '../../db/sql.ts'
import { Stale, transaction } from '../../db/transaction.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { OwnPlatform } from '../../wire/own-platform.ts'
import { isOwn } from '../../wire/own-platform-store.ts'
import type { EventHead } from '../outbox/events.ts'
import { RETRY_DELAY_SECONDS } from '../schedule.ts'
import type { Delivery } from './responses.ts'
import { itemOf } from './store.ts'
import { requireSameTarget, type Target, targetColumns } from './target-store.ts'

/**
 * Maximum number of events recovered by one call. An event can be recovered again only after its new delivery has ended,
 * so no number of calls sends faster than the limit of webhooks per minute.
 */
const RECOVERED_MAX = 10_000

/** A new delivery. */
export type Queued = Pick<typeof webhook_deliveries.$inferSelect, 'id' | 'event_id' | 'type' | 'created_at'>

const { id, event_id, type, platform_id, status, attempts, lease_until, next_attempt_at, publish_count } =
  webhook_deliveries

/** The newest delivery of the event of `webhook_deliveries` to its platform, and the id of a pending one, if any. */
const SIBLINGS = sql`(select jsonb_build_object('newest', max(n.created_at),
      'pending', max(n.id::text) filter (where n.status = 'pending'))
    from webhook_deliveries n where n.event_id = ${event_id} and n.platform_id = ${platform_id})`

type FoundDelivery = NonNullable<Awaited<ReturnType<typeof findOwnDelivery>>>

/**
 * A delivery to a platform of the operator, with the platform, whether an attempt is in progress, and the other deliveries
 * of its event; null if there is none.
 */
export async function findOwnDelivery(db: Db, own: OwnPlatform, delivery: string, now: Date) {
  const [row] = await db
    .select({
      target: targetColumns(now),
      item: sql<Delivery>`${itemOf(sql`${webhook_deliveries}`)}`,
      is_leased: sql<boolean>`${lease_until} is not null`,
      siblings: sql<{ newest: string; pending: string | null }>`${SIBLINGS}`,
    })
    .from(platforms)
    .innerJoin(operators, eq(operators.id, platforms.operator_id))
    .innerJoin(webhook_deliveries, and(eq(platform_id, platforms.id), eq(id, delivery)))
    .where(isOwn(own))
  return row ?? null
}

/**
 * Reschedules the next attempt of a pending delivery for now. Its number stays the same, so that only one of the two
 * messages, for the old and the new time, can claim it. The publish count increases, so that QStash does not discard the
 * new message as a duplicate.
 *
 * @returns what to publish
 * @throws Stale if it is not waiting any more
 */
export async function moveAttempt(db: Db, delivery: string, now: Date) {
  const at = now.toISOString()
  const [moved] = await db
    .update(webhook_deliveries)
    .set({ next_attempt_at: at, published_at: null, publish_count: sql`${publish_count} + 1` })
    .where(and(eq(id, delivery), eq(status, 'pending'), isNull(lease_until), gt(next_attempt_at, at)))
    .returning({ type, attempt: sql<number>`${attempts} + 1`, publish_count })
  if (!moved) throw new Stale()
  return moved
}

/**
 * Queues a new delivery of an event, as decided from `findOwnDelivery`.
 *
 * @throws Stale if another delivery of it was queued meanwhile, or the platform has changed
 */
export async function addRedelivery(
  db: Db,
  { target, item, siblings }: FoundDelivery,
  queued: Queued,
  now: Date,
): Promise<void> {
  const write = transaction(db)
  takeAllowance(write, target, 'changes', now)
  requireSameTarget(write, target)
  const kept = sql`select from webhook_deliveries where id = ${item.id}::uuid for key share` // and so its event
  const newer = sql`select from webhook_deliveries n where n.event_id = ${queued.event_id}
    and n.platform_id = ${target.id}::uuid and (n.status = 'pending' or n.created_at > ${siblings.newest}::timestamptz)`
  write.still(sql`exists (${kept}) and not exists (${newer})`)
  write.add(db.insert(webhook_deliveries).values(asPending(target, queued)))
  await write.run()
}

/** Queues an event made for one platform. */
export async function addEvent(
  db: Db,
  target: Target,
  event: EventHead & { data: Record<string, unknown> },
  queued: Queued,
  now: Date,
): Promise<void> {
  const { event_id: id, type, data } = event
  const write = transaction(db)
  takeAllowance(write, target, 'changes', now)
  requireSameTarget(write, target)
  write.add(db.insert(webhook_events).values({ id, type, created_at: event.created_at, data }))
  write.add(db.insert(webhook_deliveries).values(asPending(target, queued)))
  await write.run()
}

function asPending({ id: platform_id }: Target, queued: Queued) {
  return { ...queued, platform_id, status: 'pending', next_attempt_at: queued.created_at } as const
}

/** A platform of the operator, and whether there is anything that `addRecovered` would queue; null if there is none. */
export async function findRecoverable(db: Db, own: OwnPlatform, since: Date, now: Date) {
  const [row] = await db
    .select({
      target: targetColumns(now),
      any: sql<boolean>`exists (${recoverable(sql`${platforms.id}`, since, 1)})`,
    })
    .from(platforms)
    .innerJoin(operators, eq(operators.id, platforms.operator_id))
    .where(isOwn(own))
  return row ?? null
}

/**
 * Queues a new delivery of every event whose newest delivery to the platform failed or was skipped since a time, oldest
 * first, at most `RECOVERED_MAX`. Events that are pending, or were delivered since, are left out.
 *
 * @returns what was queued, and whether more is left
 */
export async function addRecovered(db: Db, target: Target, since: Date, now: Date) {
  const write = transaction(db)
  takeAllowance(write, target, 'changes', now)
  requireSameTarget(write, target)
  const queued = write.add(
    db.execute<Pick<Queued, 'id' | 'type'>>(sql`
      insert into webhook_deliveries (id, event_id, platform_id, type, status, next_attempt_at, created_at)
      select nth_uuid(${uuidv7(now)}, place), event_id, platform_id, type, 'pending', at, at
      from (
        select d.*, row_number() over (order by d.created_at, d.id) as place,
          greatest(${timestamptz(now)}, d.created_at + interval '1 millisecond') as at
        from (${recoverable(sql`${target.id}::uuid`, since, RECOVERED_MAX)}) d
      ) n order by place
      returning id, type`),
  )
  const left = write.add(db.execute(recoverable(sql`${target.id}::uuid`, since, 1)))
  await write.run()
  return { queued: queued.result.rows, more: left.result.rows.length > 0 }
}

function recoverable(platform: SQL, since: Date, most: number): SQL {
  const from = timestamptz(since)
  return sql`
    select d.id, d.event_id, d.platform_id, d.type, d.created_at from webhook_deliveries d
    where d.platform_id = ${platform} and d.status in ('failed', 'skipped')
      and d.created_at >= ${from} - interval '1 day' and ${endOf(sql`d`)} >= ${from} and not ${supersededBy(sql`d`)}
    order by d.created_at, d.id limit ${most}::integer`
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
