import { router } from '../../api/endpoint.ts'
import { ownPlatform } from '../../credentials/authorize.ts'
import { ApiError } from '../../errors.ts'
import { DAY_MS } from '../../lib/time.ts'
import { idParam, slugParam } from '../../wire/fields.ts'
import { ownPlatformNotFound } from '../../wire/own-platform.ts'
import { paginate } from '../../wire/page.ts'
import { newEvent } from '../outbox/events.ts'
import { publishFirst } from '../outbox/publish.ts'
import type { answers, Delivery } from './answers.ts'
import { testData } from './examples.ts'
import { type Closed, type Queued, queueTest, recoverDeliveries, redeliver } from './redelivery-store.ts'
import { retryNow } from './retry-store.ts'
import { deliveryQuery, recoverInput, webhookTestInput } from './schema.ts'
import { findDelivery, listDeliveries } from './store.ts'

const RECOVER_DAYS_MAX = 14

const deliveryParams = slugParam.extend(idParam('id', 'the delivery').shape)

export const deliveryRoutes = router<typeof answers>()
  .endpoint(
    {
      operationId: 'listDeliveries',
      method: 'get',
      path: '/platforms/{slug}/deliveries',
      access: { by: 'session', limit: 'session' },
      request: { params: slugParam, query: deliveryQuery },
    },
    async (c) => {
      const query = c.req.valid('query')
      const found = await listDeliveries(c.get('db'), ownPlatform(c, c.req.valid('param').slug), query)
      if (!found) throw ownPlatformNotFound(c.req.valid('param').slug)
      return c.json({ data: found.data, pagination: paginate(c, query, found.total) }, 200)
    },
  )
  .endpoint(
    {
      operationId: 'getDelivery',
      method: 'get',
      path: '/platforms/{slug}/deliveries/{id}',
      access: { by: 'session', limit: 'session' },
      request: { params: deliveryParams },
    },
    async (c) => {
      const { slug, id } = c.req.valid('param')
      const found = await findDelivery(c.get('db'), ownPlatform(c, slug), id)
      if (!found) throw deliveryNotFound(slug, id)
      const { item, event_created_at: created_at, data, attempt_log } = found
      const payload = { id: item.event_id, type: item.type, created_at, data } // in the order that is sent
      return c.json({ ...item, payload, attempt_log }, 200)
    },
  )
  .endpoint(
    {
      operationId: 'redeliverEvent',
      method: 'post',
      path: '/platforms/{slug}/deliveries/{id}/redeliver',
      access: { by: 'session', limit: 'session' },
      request: { params: deliveryParams },
    },
    async (c) => {
      const { slug, id } = c.req.valid('param')
      const done = await redeliver(c.get('db'), ownPlatform(c, slug), id, c.get('now')())
      if (!done.known) throw deliveryNotFound(slug, id)
      if (done.closed) throw webhookClosed(done.closed)
      if (!done.queued) throw stillPending(slug, done.pending ?? id)
      publishFirst(c, done.deliveries)
      return c.json(toDelivery(done.queued), 202)
    },
  )
  .endpoint(
    {
      operationId: 'retryDelivery',
      method: 'post',
      path: '/platforms/{slug}/deliveries/{id}/retry-now',
      access: { by: 'session', limit: 'session' },
      request: { params: deliveryParams },
    },
    async (c) => {
      const { slug, id } = c.req.valid('param')
      const { closed, item, leased, deliveries } = await retryNow(
        c.get('db'),
        ownPlatform(c, slug),
        id,
        c.get('now')(),
      )
      if (!item) throw deliveryNotFound(slug, id)
      if (item.status !== 'pending') throw notWaiting(item)
      if (closed) throw webhookClosed(closed)
      if (leased) throw new ApiError('CONFLICT', `attempt ${item.attempts} of this delivery is under way`)
      publishFirst(c, deliveries)
      return c.json(item, 202)
    },
  )
  .endpoint(
    {
      operationId: 'recoverDeliveries',
      method: 'post',
      path: '/platforms/{slug}/deliveries/recover',
      access: { by: 'session', limit: 'session' },
      request: { params: slugParam, body: recoverInput },
    },
    async (c) => {
      const { slug } = c.req.valid('param')
      const { since } = c.req.valid('json')
      const now = c.get('now')()
      if (since.getTime() < now.getTime() - RECOVER_DAYS_MAX * DAY_MS) {
        throw new ApiError('VALIDATION_ERROR', `since: at most ${RECOVER_DAYS_MAX} days back`)
      }
      const done = await recoverDeliveries(c.get('db'), ownPlatform(c, slug), since, now)
      if (!done) throw ownPlatformNotFound(slug)
      if (done.closed) throw webhookClosed(done.closed)
      publishFirst(c, done.deliveries)
      return c.json({ count: done.count, more: done.more }, 200)
    },
  )
  .endpoint(
    {
      operationId: 'testWebhook',
      method: 'post',
      path: '/platforms/{slug}/webhook-test',
      access: { by: 'session', limit: 'session' },
      request: { params: slugParam, body: webhookTestInput },
    },
    async (c) => {
      const { slug } = c.req.valid('param')
      const { type } = c.req.valid('json')
      const event = newEvent(type, c.get('now')())
      const done = await queueTest(c.get('db'), ownPlatform(c, slug), event, testData(type))
      if (!done) throw ownPlatformNotFound(slug)
      if (done.closed) throw webhookClosed(done.closed)
      publishFirst(c, done.deliveries)
      return c.json(toDelivery(done.queued), 202)
    },
  )

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
    `a delivery of this event is still pending: ${retry} moves its next attempt to now`,
  )
}

function notWaiting({ id, status }: Delivery): ApiError {
  const states = {
    delivered: 'was made',
    failed: 'has failed',
    skipped: 'was skipped',
    pending: 'is pending',
  }
  return new ApiError('CONFLICT', `delivery ${id} ${states[status]}: redeliver makes a new one of its event`)
}

function webhookClosed(closed: Closed): ApiError {
  const why = { retired: 'is retired', no_url: 'has no webhook_url', disabled: 'has a disabled webhook' }[
    closed
  ]
  return new ApiError('CONFLICT', `this platform ${why}`)
}
