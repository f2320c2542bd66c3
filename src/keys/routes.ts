import { makeApiKey } from '../auth/token.ts'
import { ApiError } from '../errors.ts'
import { requireCaller } from '../http/auth.ts'
import { endpoint, json, jsonRequest, router } from '../http/endpoint.ts'
import { POLICIES } from '../http/ratelimit.ts'
import { hashSecret } from '../lib/crypto.ts'
import { uuidv7 } from '../lib/ids.ts'
import { toIso } from '../lib/wire.ts'
import { keyCreated, keyInput } from './schema.ts'
import { insertKey } from './store.ts'

const postKey = endpoint({
  method: 'post',
  path: '/operators/me/api-keys',
  access: { by: 'session', limit: 'strict' },
  summary: 'Create an API key; the full key is shown this once',
  request: { body: jsonRequest(keyInput) },
  responses: { 201: json(keyCreated, 'The key') },
  errors: [],
})

export const keyRoutes = router().openapi(postKey, async (c) => {
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
    created_at: now.toISOString(),
  }
  const { operator_id } = requireCaller(c)
  await insertKey(c.get('db'), { ...shown, operator_id, ...(await hashSecret(token.secret)) })
  return c.json({ ...shown, key: token.text }, 201)
})
