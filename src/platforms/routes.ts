import { body, endpoint, router } from '../api/endpoint.ts'
import { ownPlatform, readerOf, requireCaller } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { publicJson } from '../http/caching.ts'
import { made } from '../idempotency/store.ts'
import { slugParam } from '../wire/fields.ts'
import { pagesOnly, paginate } from '../wire/page.ts'
import { changePlatform, registerPlatform, retire, rotateWebhookSecret } from './manage.ts'
import { responses } from './responses.ts'
import { platformChanges, platformInput } from './schema.ts'
import { findPlatform, findPublicPlatform, listPlatforms } from './store.ts'

export const platformRoutes = router()
  .openapi(
    endpoint({
      ...responses.registerPlatform,
      method: 'post',
      path: '/platforms',
      access: { by: 'session', limit: 'session' },
      request: { body: body(platformInput) },
    }),
    async (c) => {
      const input = c.req.valid('json')
      return c.json(made(await registerPlatform(c.var, requireCaller(c), input, c.get('now')())), 201)
    },
  )
  .openapi(
    endpoint({
      ...responses.listPlatforms,
      method: 'get',
      path: '/platforms',
      access: { by: 'session', limit: 'session' },
      request: { query: pagesOnly },
    }),
    async (c) => {
      const page = c.req.valid('query')
      const { operator_id } = requireCaller(c)
      const { data, total } = await listPlatforms(c.get('db'), operator_id, page, c.get('now')())
      return c.json({ data, pagination: paginate(c, page, total) }, 200)
    },
  )
  .openapi(
    endpoint({
      ...responses.getPlatform,
      method: 'get',
      path: '/platforms/{slug}',
      access: { by: 'anyone' },
      request: { params: slugParam },
    }),
    async (c) => {
      const { slug } = c.req.valid('param')
      const reader = readerOf(c)
      const found =
        reader?.kind === 'session'
          ? await findPlatform(c.get('db'), slug, reader.operator_id, c.get('now')())
          : await findPublicPlatform(c.get('db'), slug)
      if (!found) throw new ApiError('NOT_FOUND', `there is no platform '${slug}'`)
      return publicJson(c, found)
    },
  )
  .openapi(
    endpoint({
      ...responses.updatePlatform,
      method: 'patch',
      path: '/platforms/{slug}',
      access: { by: 'session', limit: 'session' },
      request: { params: slugParam, body: body(platformChanges) },
    }),
    async (c) => {
      const changes = c.req.valid('json')
      return c.json(await changePlatform(c.var, ownPlatform(c), changes, c.get('now')()), 200)
    },
  )
  .openapi(
    endpoint({
      ...responses.retirePlatform,
      method: 'delete',
      path: '/platforms/{slug}',
      access: { by: 'session', limit: 'session' },
      request: { params: slugParam },
    }),
    async (c) => c.json(await retire(c.get('db'), ownPlatform(c), c.get('now')()), 200),
  )
  .openapi(
    endpoint({
      ...responses.rotateWebhookSecret,
      method: 'post',
      path: '/platforms/{slug}/webhook-secret',
      access: { by: 'session', limit: 'session' },
      request: { params: slugParam },
    }),
    async (c) => c.json(made(await rotateWebhookSecret(c.var, ownPlatform(c), c.get('now')())), 200),
  )
