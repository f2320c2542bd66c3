import type * as z from 'zod'
import type { Db } from '../../db/client.ts'
import type { EventType } from '../../db/enums.ts'
import { untilFresh } from '../../db/transaction.ts'
import { ApiError } from '../../errors.ts'
import type { Ctx } from '../../http/context.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { DAY_MS } from '../../lib/time.ts'
import { type OwnPlatform, ownPlatformNotFound } from '../../wire/own-platform.ts'
import { rejectedToday } from '../../wire/quota.ts'
import { newEvent } from '../outbox/events.ts'
import { publishAfterResponse } from '../outbox/publish.ts'
import { UNRESERVED_PER_DAY, UNRESPONSIVE_PER_DAY } from '../outbox/unresponsive-store.ts'
import type { WebhookEvent } from './event-types.ts'
import { testData } from './examples.ts'
import {
  addEvent,
  addRecovered,
  addRedelivery,
  findOwnDelivery,
  findRecoverable,
  moveAttempt,
  type Queued,
} from './redelivery-store.ts'
import type { Delivery, DeliveryDetail, recovered } from './responses.ts'
import { findDelivery } from './store.ts'
import { type Closed, closedOf, publicationOf, selectTarget, type Target } from './target-store.ts'

export const RECOVER_DAYS_MAX = 14

/** Number of recovered events that are published right after the response; the sweep publishes the rest. */
const PUBLISHED_AT_ONCE = 200

const PAUSED =
  `this URL has never returned 2xx, and at most ${UNRESPONSIVE_PER_DAY} attempts to such URLs of all your platforms are ` +
  `made per UTC day, of which the last ${UNRESPONSIVE_PER_DAY - UNRESERVED_PER_DAY} are for test events: ` +
  'once it returns 2xx to a test event, repeat this call; otherwise, try again after 00:00 UTC'

/** A delivery with its attempts and its payload, whose fields are in the order in which they are sent. */
export async function requireDelivery(db: Db, platform: OwnPlatform, id: string) {
  const found = await findDelivery(db, platform, id)
  if (!found) throw deliveryNotFound(platform.slug, id)
  const { item, event_created_at: created_at, data, attempt_log } = found
  const payload = asEvent({ id: item.event_id, type: item.type, created_at, data })
  return { ...item, payload, attempt_log } satisfies DeliveryDetail
}

/** Safe because only the outbox writes events, and tests validate them against the schema of each type. */
function asEvent(payload: Record<keyof WebhookEvent, unknown>): WebhookEvent {
  return payload as WebhookEvent
}

/** Creates a new delivery of an event. */
export function redeliverEvent(c: Ctx, platform: OwnPlatform, id: string): Promise<Delivery> {
  const { db, now: clock } = c.var
  const now = clock()
  return untilFresh(async () => {
    const found = await findOwnDelivery(db, platform, id, now)
    if (!found) throw deliveryNotFound(platform.slug, id)
    requireOpen(platform, found.target, now)
    const { newest, pending } = found.siblings
    if (pending) throw stillPending(platform.slug, pending)
    const afterNewest = new Date(Math.max(now.getTime(), Date.parse(newest) + 1))
    const queued = { ...queuedNow(found.item, now), created_at: afterNewest.toISOString() }
    await addRedelivery(db, found, queued, now)
    publishAfterResponse(c, [publicationOf(found.target, queued)])
    return toDelivery(queued)
  })
}

/** Makes the next attempt of a pending delivery immediately. */
export function retryDelivery(c: Ctx, platform: OwnPlatform, id: string): Promise<Delivery> {
  const { db, now: clock } = c.var
  const now = clock()
  return untilFresh(async () => {
    const found = await findOwnDelivery(db, platform, id, now)
    if (!found) throw deliveryNotFound(platform.slug, id)
    const { target, item, is_leased } = found
    if (item.status !== 'pending') throw notWaiting(id, item.status)
    requireOpen(platform, target, now)
    if (is_leased) throw inProgress(item)
    if (Date.parse(item.next_attempt_at ?? '') <= now.getTime()) return item
    const moved = await moveAttempt(db, id, now)
    publishAfterResponse(c, [{ ...publicationOf(target, { id, type: moved.type }), ...moved }])
    return { ...item, next_attempt_at: now.toISOString() }
  })
}

/** Redelivers all events whose delivery failed or was skipped since a time. */
export async function recoverSince(
  c: Ctx,
  platform: OwnPlatform,
  since: Date,
): Promise<z.infer<typeof recovered>> {
  const now = c.get('now')()
  if (since.getTime() < now.getTime() - RECOVER_DAYS_MAX * DAY_MS) {
    throw new ApiError('VALIDATION_ERROR', [
      ['since', `must be at most ${RECOVER_DAYS_MAX} days in the past`],
    ])
  }
  const db = c.get('db')
  return untilFresh(async () => {
    const found = await findRecoverable(db, platform, since, now)
    const target = requireOpen(platform, found?.target, now)
    if (!found?.any) return { count: 0, more: false }
    const { queued, more } = await addRecovered(db, target, since, now)
    publishAfterResponse(
      c,
      queued.slice(0, PUBLISHED_AT_ONCE).map((one) => publicationOf(target, one)),
    )
    return { count: queued.length, more }
  })
}

/** Sends the example event of a type to a platform. */
export async function sendTest(c: Ctx, platform: OwnPlatform, type: EventType): Promise<Delivery> {
  const { db, now: clock } = c.var
  const now = clock()
  const event = { ...newEvent(type, now), data: testData(type) }
  return untilFresh(async () => {
    const [found] = await selectTarget(db, platform, now)
    const target = requireOpen(platform, found, now)
    const queued = queuedNow(event, now)
    await addEvent(db, target, event, queued, now)
    publishAfterResponse(c, [publicationOf(target, queued)])
    return toDelivery(queued)
  })
}

/** The platform, if webhooks can be sent to it; otherwise throws why not. */
function requireOpen({ slug }: OwnPlatform, target: Target | undefined, now: Date): Target {
  if (!target) throw ownPlatformNotFound(slug)
  const closed = closedOf(target)
  if (closed) throw webhookClosed(closed, now)
  return target
}

function queuedNow({ event_id, type }: Pick<Queued, 'event_id' | 'type'>, now: Date): Queued {
  return { id: uuidv7(now), event_id, type, created_at: now.toISOString() }
}

function toDelivery(queued: Queued): Delivery {
  const { created_at } = queued
  return { ...queued, status: 'pending', attempts: 0, next_attempt_at: created_at, delivered_at: null }
}

function deliveryNotFound(slug: string, id: string): ApiError {
  return new ApiError('NOT_FOUND', `you have no platform '${slug}' with a delivery ${id}`)
}

function stillPending(slug: string, pending: string): ApiError {
  const retry = `POST /platforms/${slug}/deliveries/${pending}/retry-now`
  return new ApiError(
    'CONFLICT',
    `a delivery of this event is still pending; to attempt it now, call ${retry}`,
  )
}

function notWaiting(id: string, status: Exclude<Delivery['status'], 'pending'>): ApiError {
  const states = { delivered: 'was delivered', failed: 'has failed', skipped: 'was skipped' }
  return new ApiError('CONFLICT', `delivery ${id} ${states[status]}; redeliver the event to send it again`)
}

function inProgress({ attempts }: Delivery): ApiError {
  return new ApiError(
    'CONFLICT',
    `attempt ${attempts} of this delivery is in progress; wait until it has ended`,
  )
}

function webhookClosed(closed: Closed, now: Date): ApiError {
  if (closed === 'paused') return rejectedToday(PAUSED, now)
  const why = {
    retired: 'this platform is retired permanently and receives no webhooks',
    no_url: 'this platform has no webhook_url; set one first',
    disabled: 'the webhook of this platform is disabled; enable it first',
  }
  return new ApiError('CONFLICT', why[closed])
}
