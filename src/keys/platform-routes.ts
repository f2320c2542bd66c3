import { body, endpoint, router } from '../api/endpoint.ts'
import { ownPlatform } from '../credentials/authorize.ts'
import { made } from '../idempotency/store.ts'
import { idParam, slugParam } from '../wire/fields.ts'
import { pagesOnly, paginate } from '../wire/page.ts'
import { changeKey, createKey, revokeApiKey } from './manage.ts'
import { responses } from './responses.ts'
import { keyChanges, platformKeyInput } from './schema.ts'
import { requireKeys } from './store.ts'

const keyParams = slugParam.extend(idParam('key_id', 'the API key').shape)

export const platformKeyRoutes = router()
  .openapi(
    endpoint({
      ...responses.listPlatformApiKeys,
      method: 'get',
      path: '/platforms/{slug}/api-keys',
      access: { by: 'session', limit: 'session' },
      request: { params: slugParam, query: pagesOnly },
    }),
    async (c) => {
      const page = c.req.valid('query')
      const { data, total } = await requireKeys(c.get('db'), ownPlatform(c), page)
      return c.json({ data, pagination: paginate(c, page, total) }, 200)
    },
  )
  .openapi(
    endpoint({
      ...responses.createPlatformApiKey,
      method: 'post',
      path: '/platforms/{slug}/api-keys',
      access: { by: 'session', limit: 'strict' },
      request: { params: slugParam, body: body(platformKeyInput) },
    }),
    async (c) => {
      const input = c.req.valid('json')
      return c.json(made(await createKey(c.var, ownPlatform(c), input, c.get('now')())), 201)
    },
  )
  .openapi(
    endpoint({
      ...responses.updatePlatformApiKey,
      method: 'patch',
      path: '/platforms/{slug}/api-keys/{key_id}',
      access: { by: 'session', limit: 'session' },
      request: { params: keyParams, body: body(keyChanges) },
    }),
    async (c) => {
      const { key_id } = c.req.valid('param')
      const changes = c.req.valid('json')
      return c.json(await changeKey(c.get('db'), ownPlatform(c), key_id, changes, c.get('now')()), 200)
    },
  )
  .openapi(
    endpoint({
      ...responses.revokePlatformApiKey,
      method: 'delete',
      path: '/platforms/{slug}/api-keys/{key_id}',
      access: { by: 'session', limit: 'session' },
      request: { params: keyParams },
    }),
    async (c) => {
      const { key_id } = c.req.valid('param')
      return c.json(await revokeApiKey(c.get('db'), ownPlatform(c), key_id, c.get('now')()), 200)
    },
  )
