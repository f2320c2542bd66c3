import type * as z from 'zod'
import type { Db } from '../../db/client.ts'
import type { EventType } from '../../db/enums.ts'
import { ApiError } from '../../errors.ts'
import type { Ctx } from '../../http/context.ts'
import { DAY_MS } from '../../lib/time.ts'
import { type OwnPlatform, ownPlatformNotFound } from '../../wire/own-platform.ts'
import { rejectedToday } from '../../wire/quota.ts'
import { UNRESERVED_PER_DAY, UNRESPONSIVE_PER_DAY } from '../outbox/audience-store.ts'
import { newEvent } from '../outbox/events.ts'
import { publishFirst } from '../outbox/publish.ts'
import type { WebhookEvent } from './event-types.ts'
import { testData } from './examples.ts'
import { type Queued, queueTest, recoverDeliveries, redeliver } from './redelivery-store.ts'
import type { Delivery, DeliveryDetail, recovered } from './responses.ts'
import { retryNow } from './retry-store.ts'
import type { DeliveryQuery } from './schema.ts'
import { type Closed, findDelivery, listDeliveries } from './store.ts'

export const RECOVER_DAYS_MAX = 14

const PAUSED =
  `this URL has never returned 2xx, and at most ${UNRESPONSIVE_PER_DAY} attempts to such URLs of all your platforms are ` +
  `made per UTC day, of which the last ${UNRESPONSIVE_PER_DAY - UNRESERVED_PER_DAY} are for test events: ` +
  'once it returns 2xx to a test event, repeat this call; otherwise, try again after 00:00 UTC'

/** A page of the deliveries to a platform; throws 404 if the operator has no such platform. */
export async function requireDeliveries(db: Db, platform: OwnPlatform, query: DeliveryQuery) {
  const found = await listDeliveries(db, platform, query)
  if (!found) throw ownPlatformNotFound(platform.slug)
  return found
}

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
export async function redeliverEvent(c: Ctx, platform: OwnPlatform, id: string): Promise<Delivery> {
  const now = c.get('now')()
  const done = await redeliver(c.get('db'), platform, id, now)
  if (!done.known) throw deliveryNotFound(platform.slug, id)
  if (done.closed) throw webhookClosed(done.closed, now)
  if (!done.queued) throw stillPending(platform.slug, done.pending ?? id)
  publishFirst(c, done.deliveries)
  return toDelivery(done.queued)
}

/** Makes the next attempt of a pending delivery immediately. */
export async function retryDelivery(c: Ctx, platform: OwnPlatform, id: string): Promise<Delivery> {
  const now = c.get('now')()
  const { closed, item, leased, deliveries } = await retryNow(c.get('db'), platform, id, now)
  if (!item) throw deliveryNotFound(platform.slug, id)
  if (item.status !== 'pending') throw notWaiting(item)
  if (closed) throw webhookClosed(closed, now)
  if (leased)
    throw new ApiError(
      'CONFLICT',
      `attempt ${item.attempts} of this delivery is in progress; wait until it has ended`,
    )
  publishFirst(c, deliveries)
  return item
}

/** Redelivers all events whose delivery failed or was skipped since a time. */
export async function recoverSince(
  c: Ctx,
  platform: OwnPlatform,
  since: Date,
): Promise<z.infer<typeof recovered>> {
  const now = c.get('now')()
  if (since.getTime() < now.getTime() - RECOVER_DAYS_MAX * DAY_MS) {
    throw new ApiError('VALIDATION_ERROR', `since: must be at most ${RECOVER_DAYS_MAX} days in the past`)
  }
  const done = await recoverDeliveries(c.get('db'), platform, since, now)
  if (!done) throw ownPlatformNotFound(platform.slug)
  if (done.closed) throw webhookClosed(done.closed, now)
  publishFirst(c, done.deliveries)
  return { count: done.count, more: done.more }
}

/** Sends the example event of a type to a platform. */
export async function sendTest(c: Ctx, platform: OwnPlatform, type: EventType): Promise<Delivery> {
  const now = c.get('now')()
  const event = newEvent(type, now)
  const done = await queueTest(c.get('db'), platform, event, testData(type))
  if (!done) throw ownPlatformNotFound(platform.slug)
  if (done.closed) throw webhookClosed(done.closed, now)
  publishFirst(c, done.deliveries)
  return toDelivery(done.queued)
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

function notWaiting({ id, status }: Delivery): ApiError {
  const states = {
    delivered: 'was delivered',
    failed: 'has failed',
    skipped: 'was skipped',
    pending: 'is pending',
  }
  return new ApiError('CONFLICT', `delivery ${id} ${states[status]}; redeliver the event to send it again`)
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
