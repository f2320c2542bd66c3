import { z } from '@hono/zod-openapi'
import { endpoint, json, jsonRequest, router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import type { Ctx } from '../http/context.ts'
import { idParam, slugParam } from '../wire/fields.ts'
import { changeKey, createKey, endKey, requireKeys } from './manage.ts'
import { keyChanges, keyCreated, keyRevoked, keyShown, platformKeyInput } from './schema.ts'
import type { KeyOwner } from './store.ts'

const keyParams = slugParam.extend(idParam('key_id', 'the API key').shape)

const getKeys = endpoint({
  method: 'get',
  path: '/platforms/{slug}/api-keys',
  operationId: 'listPlatformApiKeys',
  tag: 'Platforms',
  access: { by: 'session', limit: 'session' },
  summary: "All API keys of a platform of one's own, revoked ones too; never a full key",
  request: { params: slugParam },
  responses: { 200: json(z.object({ data: z.array(keyShown) }), 'The keys, oldest first') },
  errors: ['NOT_FOUND'],
})

const postKey = endpoint({
  method: 'post',
  path: '/platforms/{slug}/api-keys',
  operationId: 'createPlatformApiKey',
  tag: 'Platforms',
  access: { by: 'session', limit: 'strict' },
  summary: 'Create an API key of a platform; the full key is shown this once',
  description:
    'It acts for the platform: with `activity:report` it reports for the agents that are registered on the platform, with `read` it sees their whole logs. Whoever registered the platform answers for it.',
  request: { params: slugParam, body: jsonRequest(platformKeyInput) },
  responses: { 201: json(keyCreated, 'The key') },
  errors: ['NOT_FOUND'],
})

const patchKey = endpoint({
  method: 'patch',
  path: '/platforms/{slug}/api-keys/{key_id}',
  operationId: 'updatePlatformApiKey',
  tag: 'Platforms',
  access: { by: 'session', limit: 'session' },
  summary: "Change the name or the limit of a platform's key",
  description: 'The highest limit is that of your tier, as for keys of your own.',
  request: { params: keyParams, body: jsonRequest(keyChanges) },
  responses: { 200: json(keyShown, 'The changed key') },
  errors: ['NOT_FOUND', 'CONFLICT'],
})

const deleteKey = endpoint({
  method: 'delete',
  path: '/platforms/{slug}/api-keys/{key_id}',
  operationId: 'revokePlatformApiKey',
  tag: 'Platforms',
  access: { by: 'session', limit: 'session' },
  summary: "Revoke a platform's API key for ever",
  description:
    'No call that begins after this answer is let in with the key. A second revocation answers the same.',
  request: { params: keyParams },
  responses: { 200: json(keyRevoked, 'The key is revoked') },
  errors: ['NOT_FOUND'],
})

export const platformKeyRoutes = router()
  .openapi(getKeys, async (c) => {
    const { slug } = c.req.valid('param')
    return c.json({ data: await requireKeys(c.get('db'), ofPlatform(c, slug)) }, 200)
  })
  .openapi(postKey, async (c) => {
    const { slug } = c.req.valid('param')
    return c.json(await createKey(c.get('db'), ofPlatform(c, slug), c.req.valid('json'), c.get('now')()), 201)
  })
  .openapi(patchKey, async (c) => {
    const { slug, key_id } = c.req.valid('param')
    const changes = c.req.valid('json')
    return c.json(await changeKey(c.get('db'), ofPlatform(c, slug), key_id, changes, c.get('now')()), 200)
  })
  .openapi(deleteKey, async (c) => {
    const { slug, key_id } = c.req.valid('param')
    return c.json(await endKey(c.get('db'), ofPlatform(c, slug), key_id, c.get('now')()), 200)
  })

function ofPlatform(c: Ctx, slug: string): KeyOwner {
  return { operator_id: requireCaller(c).operator_id, slug }
}
