import { body, endpoint, router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import type { Ctx } from '../http/context.ts'
import { made } from '../idempotency/store.ts'
import { idParam } from '../wire/fields.ts'
import { pagesIfRequested, paginate, requestedPage, WHOLE } from '../wire/page.ts'
import { changeKey, createKey, revokeApiKey } from './manage.ts'
import { responses } from './responses.ts'
import { keyChanges, keyInput } from './schema.ts'
import { type KeyOwner, requireKeys } from './store.ts'

export const keyRoutes = router()
  .openapi(
    endpoint({
      ...responses.listApiKeys,
      method: 'get',
      path: '/operators/me/api-keys',
      access: { by: 'session-or-key', permissions: ['read'] },
      request: { query: pagesIfRequested },
    }),
    async (c) => {
      const page = requestedPage(c.req.valid('query'))
      const { data, total } = await requireKeys(c.get('db'), ownKeyOwner(c), page ?? WHOLE)
      return c.json({ data, ...(page && { pagination: paginate(c, page, total) }) }, 200)
    },
  )
  .openapi(
    endpoint({
      ...responses.createApiKey,
      method: 'post',
      path: '/operators/me/api-keys',
      access: { by: 'session', limit: 'strict' },
      request: { body: body(keyInput) },
    }),
    async (c) => {
      return c.json(made(await createKey(c.var, ownKeyOwner(c), c.req.valid('json'), c.get('now')())), 201)
    },
  )
  .openapi(
    endpoint({
      ...responses.updateApiKey,
      method: 'patch',
      path: '/operators/me/api-keys/{key_id}',
      access: { by: 'session', limit: 'session' },
      request: { params: idParam('key_id', 'the API key'), body: body(keyChanges) },
    }),
    async (c) => {
      const { key_id } = c.req.valid('param')
      return c.json(
        await changeKey(c.get('db'), ownKeyOwner(c), key_id, c.req.valid('json'), c.get('now')()),
        200,
      )
    },
  )
  .openapi(
    endpoint({
      ...responses.revokeApiKey,
      method: 'delete',
      path: '/operators/me/api-keys/{key_id}',
      access: { by: 'session', limit: 'session' },
      request: { params: idParam('key_id', 'the API key') },
    }),
    async (c) => {
      const { key_id } = c.req.valid('param')
      return c.json(await revokeApiKey(c.get('db'), ownKeyOwner(c), key_id, c.get('now')()), 200)
    },
  )

/** The calling operator, as the owner of keys. */
export function ownKeyOwner(c: Ctx): KeyOwner {
  const { operator_id, tier } = requireCaller(c)
  return { operator_id, tier, slug: null }
}
