import { z } from '@hono/zod-openapi'
import { makeApiKey } from '../auth/token.ts'
import { ApiError } from '../errors.ts'
import { requireCaller } from '../http/auth.ts'
import { endpoint, json, jsonRequest, router } from '../http/endpoint.ts'
import { idParam } from '../http/fields.ts'
import { POLICIES } from '../http/policies.ts'
import { hashSecret } from '../lib/crypto.ts'
import { uuidv7 } from '../lib/ids.ts'
import { toIso } from '../lib/wire.ts'
import { TIER_KEY_LIMIT } from '../operators/tiers.ts'
import { keyChanges, keyCreated, keyInput, keyRevoked, keyShown } from './schema.ts'
import { insertKey, listKeys, revokeKey, updateKey } from './store.ts'

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
    const data = await listKeys(c.get('db'), requireCaller(c).operator_id)
    return c.json({ data }, 200)
  })
  .openapi(postKey, async (c) => {
    const { name, permissions, expires_at } = c.req.valid('json')
    const now = c.get('now')()
    if (expires_at && new Date(expires_at) <= now) {
      throw new ApiError('VALIDATION_ERROR', 'expires_at: must be in the future')
    }
    const token = makeApiKey()
    const shown = {
      id: uuidv7(now),
      name,
      key_prefix: token.id,
      permissions,
      rate_limit_per_minute: POLICIES.key.limit,
      expires_at: expires_at ? toIso(expires_at) : null,
    }
    const { operator_id } = requireCaller(c)
    await insertKey(c.get('db'), { ...shown, operator_id, ...(await hashSecret(token.secret)) }, now)
    return c.json({ ...shown, key: token.text, created_at: now.toISOString() }, 201)
  })
  .openapi(patchKey, async (c) => {
    const { key_id: keyId } = c.req.valid('param')
    const { operator_id: operatorId } = requireCaller(c)
    const change = { operatorId, keyId, changes: c.req.valid('json'), tierLimits: TIER_KEY_LIMIT }
    const result = await updateKey(c.get('db'), change, c.get('now')())
    switch (result.outcome) {
      case 'changed':
        return c.json(result.key, 200)
      case 'unknown':
        throw keyNotFound(keyId)
      case 'revoked':
        throw new ApiError('CONFLICT', 'this key is revoked')
      case 'over_limit':
        throw new ApiError('VALIDATION_ERROR', `rate_limit_per_minute: at most ${result.limit} in your tier`)
    }
  })
  .openapi(deleteKey, async (c) => {
    const { key_id: id } = c.req.valid('param')
    const revoked_at = await revokeKey(c.get('db'), requireCaller(c).operator_id, id, c.get('now')())
    if (!revoked_at) throw keyNotFound(id)
    return c.json({ id, status: 'revoked' as const, revoked_at: toIso(revoked_at) }, 200)
  })

function keyNotFound(id: string): ApiError {
  return new ApiError('NOT_FOUND', `you have no API key ${id}`)
}
