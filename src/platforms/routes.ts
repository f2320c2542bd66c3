import { z } from '@hono/zod-openapi'
import { endpoint, json, jsonRequest, router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../errors.ts'
import { publicJson } from '../http/caching.ts'
import { seal } from '../lib/crypto.ts'
import { uuidv7 } from '../lib/ids.ts'
import { makeWebhookSecret, WEBHOOK_SECRET_PURPOSE } from '../webhooks/relay/sign.ts'
import { webhookUrlProblem } from '../webhooks/relay/url.ts'
import { slugParam } from '../wire/fields.ts'
import { pageQuery, paginate, pagination } from '../wire/page.ts'
import {
  platform,
  platformChanges,
  platformCreated,
  platformInput,
  platformProfile,
  secretRotated,
} from './schema.ts'
import { findPlatform, insertPlatform, listPlatforms, rotateSecret, updatePlatform } from './store.ts'

const PREVIOUS_SECRET_LIFE_MS = 24 * 3_600_000

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

const getPlatforms = endpoint({
  method: 'get',
  path: '/platforms',
  operationId: 'listPlatforms',
  tag: 'Platforms',
  access: { by: 'session', limit: 'session' },
  summary: "The operator's platforms with the state of their webhooks, newest first",
  request: { query: z.object(pageQuery) },
  responses: { 200: json(z.object({ data: z.array(platform), pagination }), 'A page of platforms') },
  errors: [],
})

const getPlatform = endpoint({
  method: 'get',
  path: '/platforms/{slug}',
  operationId: 'getPlatform',
  tag: 'Platforms',
  access: { by: 'anyone-or-owner' },
  summary: 'A platform: its name for anybody, and all but its secret for its operator',
  description:
    'The operator who registered the platform sees the whole of it with a session. Everybody else, and any API key, sees its public part.',
  request: { params: slugParam },
  responses: { 200: json(z.union([platformProfile, platform]), 'The platform') },
  errors: ['NOT_FOUND'],
})

const patchPlatform = endpoint({
  method: 'patch',
  path: '/platforms/{slug}',
  operationId: 'updatePlatform',
  tag: 'Platforms',
  access: { by: 'session', limit: 'session' },
  summary: 'Change a platform, or enable its webhook again',
  description:
    'A URL holds from the next attempt of each delivery, types from the next event. Enabling a disabled webhook, or giving it another URL, sets its failures to zero; what was skipped meanwhile stays so.',
  request: { params: slugParam, body: jsonRequest(platformChanges) },
  responses: { 200: json(platform, 'The changed platform') },
  errors: ['NOT_FOUND'],
})

const postSecret = endpoint({
  method: 'post',
  path: '/platforms/{slug}/webhook-secret',
  operationId: 'rotateWebhookSecret',
  tag: 'Platforms',
  access: { by: 'session', limit: 'session' },
  summary: 'Exchange the webhook secret; the new one is shown this once',
  description:
    'For 24 hours `webhook-signature` carries a value of the previous secret too; `X-REG-Signature` is made with the new one at once. A second exchange within that time ends the oldest secret.',
  request: { params: slugParam },
  responses: { 200: json(secretRotated, 'The new secret') },
  errors: ['NOT_FOUND'],
})

export const platformRoutes = router()
  .openapi(postPlatform, async (c) => {
    const { slug, name, event_types = null, webhook_url = null } = c.req.valid('json')
    const { env } = c.var
    requireGoodUrl(webhook_url, env)
    const now = c.get('now')()
    const secret = makeWebhookSecret()
    const shown = { slug, name, webhook_url, event_types }
    const stored = await insertPlatform(
      c.get('db'),
      {
        ...shown,
        id: uuidv7(now),
        operator_id: requireCaller(c).operator_id,
        webhook_secret: await sealSecret(env, secret),
      },
      now,
    )
    if (!stored) throw new ApiError('CONFLICT', `slug: '${slug}' is taken`)
    const created_at = now.toISOString()
    return c.json({ ...shown, webhook_status: 'enabled' as const, webhook_secret: secret, created_at }, 201)
  })
  .openapi(getPlatforms, async (c) => {
    const page = c.req.valid('query')
    const { operator_id } = requireCaller(c)
    const { data, total } = await listPlatforms(c.get('db'), operator_id, page, c.get('now')())
    return c.json({ data, pagination: paginate(c, page, total) }, 200)
  })
  .openapi(getPlatform, async (c) => {
    const { slug } = c.req.valid('param')
    const caller = c.get('caller')
    const viewer = caller?.kind === 'session' ? caller.operator_id : null
    const found = await findPlatform(c.get('db'), slug, viewer, c.get('now')())
    if (!found) throw new ApiError('NOT_FOUND', `there is no platform '${slug}'`)
    return publicJson(c, found)
  })
  .openapi(patchPlatform, async (c) => {
    const { slug } = c.req.valid('param')
    const changes = c.req.valid('json')
    requireGoodUrl(changes.webhook_url, c.get('env'))
    const { operator_id: operatorId } = requireCaller(c)
    const changed = await updatePlatform(c.get('db'), { slug, operatorId, changes }, c.get('now')())
    if (!changed) throw notYours(slug)
    return c.json(changed, 200)
  })
  .openapi(postSecret, async (c) => {
    const { slug } = c.req.valid('param')
    const now = c.get('now')()
    const webhook_secret = makeWebhookSecret()
    const previousUntil = new Date(now.getTime() + PREVIOUS_SECRET_LIFE_MS)
    const { operator_id: operatorId } = requireCaller(c)
    const secret = await sealSecret(c.get('env'), webhook_secret)
    if (!(await rotateSecret(c.get('db'), { slug, operatorId, secret, previousUntil }, now))) {
      throw notYours(slug)
    }
    return c.json({ slug, webhook_secret, previous_secret_expires_at: previousUntil.toISOString() }, 200)
  })

function requireGoodUrl(url: string | null | undefined, env: Env): void {
  const problem = url ? webhookUrlProblem(url, env) : null
  if (problem) throw new ApiError('VALIDATION_ERROR', `webhook_url: ${problem}`)
}

function sealSecret(env: Env, secret: string): Promise<string> {
  return seal(env.SECRETS_KEY, WEBHOOK_SECRET_PURPOSE, secret)
}

function notYours(slug: string): ApiError {
  return new ApiError('NOT_FOUND', `you have no platform '${slug}'`)
}
