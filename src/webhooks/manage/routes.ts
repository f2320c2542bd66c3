import { ASSETS, assetJson } from '../../api/assets.ts'
import { body, endpoint, router } from '../../api/endpoint.ts'
import { ownPlatform } from '../../credentials/authorize.ts'
import { idParam, slugParam } from '../../wire/fields.ts'
import { noParameters, paginate } from '../../wire/page.ts'
import { recoverSince, redeliverEvent, requireDelivery, retryDelivery, sendTest } from './actions.ts'
import { responses } from './responses.ts'
import { deliveryQuery, recoverInput, webhookTestInput } from './schema.ts'
import { requireDeliveries } from './store.ts'

const deliveryParams = slugParam.extend(idParam('id', 'the delivery').shape)

export const webhookRoutes = router()
  .openapi(
    endpoint({
      ...responses.listDeliveries,
      method: 'get',
      path: '/platforms/{slug}/deliveries',
      access: { by: 'session', limit: 'session' },
      request: { params: slugParam, query: deliveryQuery },
    }),
    async (c) => {
      const query = c.req.valid('query')
      const { data, total } = await requireDeliveries(c.get('db'), ownPlatform(c), query)
      return c.json({ data, pagination: paginate(c, query, total) }, 200)
    },
  )
  .openapi(
    endpoint({
      ...responses.getDelivery,
      method: 'get',
      path: '/platforms/{slug}/deliveries/{id}',
      access: { by: 'session', limit: 'session' },
      request: { params: deliveryParams },
    }),
    async (c) => c.json(await requireDelivery(c.get('db'), ownPlatform(c), c.req.valid('param').id), 200),
  )
  .openapi(
    endpoint({
      ...responses.redeliverEvent,
      method: 'post',
      path: '/platforms/{slug}/deliveries/{id}/redeliver',
      access: { by: 'session', limit: 'session' },
      request: { params: deliveryParams },
    }),
    async (c) => c.json(await redeliverEvent(c, ownPlatform(c), c.req.valid('param').id), 202),
  )
  .openapi(
    endpoint({
      ...responses.retryDelivery,
      method: 'post',
      path: '/platforms/{slug}/deliveries/{id}/retry-now',
      access: { by: 'session', limit: 'session' },
      request: { params: deliveryParams },
    }),
    async (c) => c.json(await retryDelivery(c, ownPlatform(c), c.req.valid('param').id), 202),
  )
  .openapi(
    endpoint({
      ...responses.recoverDeliveries,
      method: 'post',
      path: '/platforms/{slug}/deliveries/recover',
      access: { by: 'session', limit: 'session' },
      request: { params: slugParam, body: body(recoverInput) },
    }),
    async (c) => c.json(await recoverSince(c, ownPlatform(c), c.req.valid('json').since), 200),
  )
  .openapi(
    endpoint({
      ...responses.testWebhook,
      method: 'post',
      path: '/platforms/{slug}/webhook-test',
      access: { by: 'session', limit: 'session' },
      request: { params: slugParam, body: body(webhookTestInput) },
    }),
    async (c) => c.json(await sendTest(c, ownPlatform(c), c.req.valid('json').type), 202),
  )
  .openapi(
    endpoint({
      ...responses.listEventTypes,
      method: 'get',
      path: '/event-types',
      access: { by: 'anyone' },
      request: { query: noParameters },
    }),
    (c) => assetJson(c, ASSETS.eventTypes),
  )
