import { z } from '@hono/zod-openapi'
import { endpoint, json, jsonRequest, router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import type { Ctx } from '../http/context.ts'
import { idParam } from '../wire/fields.ts'
import { changeKey, createKey, endKey, requireKeys } from './manage.ts'
import { keyChanges, keyCreated, keyInput, keyRevoked, keyShown } from './schema.ts'
import type { KeyOwner } from './store.ts'

const getKeys = endpoint({
  method: 'get',
  path: '/operators/me/api-keys',
  operationId: 'listApiKeys',
  tag: 'API keys',
  access: { by: 'session-or-key', permissions: ['read'] },
  summary: 'All API keys of the operator, revoked ones too; never a full key',
  request: {},
  responses: { 200: json(z.object({ data: z.array(keyShown) }), 'The keys, oldest first') },
  errors: [],
})

const postKey = endpoint({
  method: 'post',
  path: '/operators/me/api-keys',
  operationId: 'createApiKey',
  tag: 'API keys',
  access: { by: 'session', limit: 'strict' },
  summary: 'Create an API key; the full key is shown this once',
  description:
    'Only a salted hash of the key is kept: whoever loses it has to create another. Ten calls a minute.',
  request: { body: jsonRequest(keyInput) },
  responses: { 201: json(keyCreated, 'The key') },
  errors: [],
})

const patchKey = endpoint({
  method: 'patch',
  path: '/operators/me/api-keys/{key_id}',
  operationId: 'updateApiKey',
  tag: 'API keys',
  access: { by: 'session', limit: 'session' },
  summary: "Change a key's name or its limit",
  description:
    'The highest limit depends on the tier: free 60, pro 600, business 3,000, enterprise 10,000 calls a minute.',
  request: { params: idParam('key_id', 'the API key'), body: jsonRequest(keyChanges) },
  responses: { 200: json(keyShown, 'The changed key') },
  errors: ['NOT_FOUND', 'CONFLICT'],
})

const deleteKey = endpoint({
  method: 'delete',
  path: '/operators/me/api-keys/{key_id}',
  operationId: 'revokeApiKey',
  tag: 'API keys',
  access: { by: 'session', limit: 'session' },
  summary: 'Revoke an API key for ever',
  description:
    'No call that begins after this answer is let in with the key. A second revocation answers the same.',
  request: { params: idParam('key_id', 'the API key') },
  responses: { 200: json(keyRevoked, 'The key is revoked') },
  errors: ['NOT_FOUND'],
})

export const keyRoutes = router()
  .openapi(getKeys, async (c) => {
    return c.json({ data: await requireKeys(c.get('db'), own(c)) }, 200)
  })
  .openapi(postKey, async (c) => {
    return c.json(await createKey(c.get('db'), own(c), c.req.valid('json'), c.get('now')()), 201)
  })
  .openapi(patchKey, async (c) => {
    const { key_id } = c.req.valid('param')
    return c.json(await changeKey(c.get('db'), own(c), key_id, c.req.valid('json'), c.get('now')()), 200)
  })
  .openapi(deleteKey, async (c) => {
    const { key_id } = c.req.valid('param')
    return c.json(await endKey(c.get('db'), own(c), key_id, c.get('now')()), 200)
  })

function own(c: Ctx): KeyOwner {
  return { operator_id: requireCaller(c).operator_id, slug: null }
}
