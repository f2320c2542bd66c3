import { ApiError } from '../errors.ts'
import { requireCaller } from '../http/auth.ts'
import { endpoint, json, jsonRequest, router } from '../http/endpoint.ts'
import { seal } from '../lib/crypto.ts'
import { uuidv7 } from '../lib/ids.ts'
import { WEBHOOK_SECRET_PURPOSE } from '../webhooks/secret.ts'
import { makeWebhookSecret } from '../webhooks/sign.ts'
import { webhookUrlProblem } from '../webhooks/url.ts'
import { platformCreated, platformInput } from './schema.ts'
import { insertPlatform } from './store.ts'

const postPlatform = endpoint({
  method: 'post',
  path: '/platforms',
  operationId: 'registerPlatform',
  tag: 'Platforms',
  access: { by: 'session', limit: 'session' },
  summary: 'Register a platform; its webhook secret is shown this once',
  description:
    'Webhooks are signed with the secret of this answer: `X-REG-Signature` is `sha256=` and the HMAC-SHA256 of `<X-REG-Timestamp>.<body>` in hex.',
  request: { body: jsonRequest(platformInput) },
  responses: { 201: json(platformCreated, 'The registered platform') },
  errors: ['CONFLICT'],
})

export const platformRoutes = router().openapi(postPlatform, async (c) => {
  const { slug, name, event_types, webhook_url = null } = c.req.valid('json')
  const { env, now } = c.var
  const problem = webhook_url === null ? null : webhookUrlProblem(webhook_url, env)
  if (problem) throw new ApiError('VALIDATION_ERROR', `webhook_url: ${problem}`)
  const created = now()
  const created_at = created.toISOString()
  const secret = makeWebhookSecret()
  const stored = await insertPlatform(c.get('db'), {
    id: uuidv7(created),
    operator_id: requireCaller(c).operator_id,
    slug,
    name,
    webhook_url,
    event_types,
    webhook_secret: await seal(env.SECRETS_KEY, WEBHOOK_SECRET_PURPOSE, secret),
    created_at,
  })
  if (!stored) throw new ApiError('CONFLICT', `slug: '${slug}' is taken`)
  return c.json(
    {
      slug,
      name,
      webhook_url,
      event_types,
      webhook_status: 'enabled' as const,
      webhook_secret: secret,
      created_at,
    },
    201,
  )
})
