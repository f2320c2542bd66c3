import { router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../errors.ts'
import { publicJson } from '../http/caching.ts'
import { seal } from '../lib/crypto.ts'
import { uuidv7 } from '../lib/ids.ts'
import { makeWebhookSecret, WEBHOOK_SECRET_PURPOSE } from '../webhooks/relay/sign.ts'
import { webhookUrlProblem } from '../webhooks/relay/url.ts'
import { overCeiling } from '../wire/ceiling.ts'
import { slugParam } from '../wire/fields.ts'
import { ownPlatformNotFound, platformRetired } from '../wire/own-platform.ts'
import { pagesOnly, paginate } from '../wire/page.ts'
import type { answers } from './answers.ts'
import { platformChanges, platformInput } from './schema.ts'
import {
  findPlatform,
  insertPlatform,
  listPlatforms,
  RETIRED_COUNT_DAYS,
  retirePlatform,
  rotateSecret,
  updatePlatform,
} from './store.ts'

const PLATFORMS = `platforms, retired ones until ${RETIRED_COUNT_DAYS} days after their registration`
const PREVIOUS_SECRET_LIFE_MS = 24 * 3_600_000

export const platformRoutes = router<typeof answers>()
  .endpoint(
    {
      operationId: 'registerPlatform',
      method: 'post',
      path: '/platforms',
      access: { by: 'session', limit: 'session' },
      request: { body: platformInput },
    },
    async (c) => {
      const { slug, name, event_types = null, webhook_url = null, admission = 'open' } = c.req.valid('json')
      const { env } = c.var
      requireGoodUrl(webhook_url, env)
      const now = c.get('now')()
      const secret = makeWebhookSecret()
      const shown = { slug, name, webhook_url, event_types, admission }
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
      if (stored.outcome === 'taken') throw new ApiError('CONFLICT', `slug: '${slug}' is taken`)
      if (stored.outcome === 'too_many') {
        throw new ApiError('CONFLICT', overCeiling('platforms', stored.ceiling, PLATFORMS, 'retire one'))
      }
      const fresh = {
        status: 'active',
        webhook_status: 'enabled',
        established_at: null,
        distrusted_at: null,
      } as const
      return c.json({ ...shown, ...fresh, webhook_secret: secret, created_at: now.toISOString() }, 201)
    },
  )
  .endpoint(
    {
      operationId: 'listPlatforms',
      method: 'get',
      path: '/platforms',
      access: { by: 'session', limit: 'session' },
      request: { query: pagesOnly },
    },
    async (c) => {
      const page = c.req.valid('query')
      const { operator_id } = requireCaller(c)
      const { data, total } = await listPlatforms(c.get('db'), operator_id, page, c.get('now')())
      return c.json({ data, pagination: paginate(c, page, total) }, 200)
    },
  )
  .endpoint(
    {
      operationId: 'getPlatform',
      method: 'get',
      path: '/platforms/{slug}',
      access: { by: 'anyone-or-owner' },
      request: { params: slugParam },
    },
    async (c) => {
      const { slug } = c.req.valid('param')
      const caller = c.get('caller')
      const viewer = caller?.kind === 'session' ? caller.operator_id : null
      const found = await findPlatform(c.get('db'), slug, viewer, c.get('now')())
      if (!found) throw new ApiError('NOT_FOUND', `there is no platform '${slug}'`)
      return publicJson(c, found)
    },
  )
  .endpoint(
    {
      operationId: 'updatePlatform',
      method: 'patch',
      path: '/platforms/{slug}',
      access: { by: 'session', limit: 'session' },
      request: { params: slugParam, body: platformChanges },
    },
    async (c) => {
      const { slug } = c.req.valid('param')
      const changes = c.req.valid('json')
      requireGoodUrl(changes.webhook_url, c.get('env'))
      const { operator_id: operatorId } = requireCaller(c)
      const changed = await updatePlatform(c.get('db'), { slug, operatorId, changes }, c.get('now')())
      if (!changed) throw ownPlatformNotFound(slug)
      if (changed.status === 'retired') throw platformRetired(slug)
      return c.json(changed, 200)
    },
  )
  .endpoint(
    {
      operationId: 'retirePlatform',
      method: 'delete',
      path: '/platforms/{slug}',
      access: { by: 'session', limit: 'session' },
      request: { params: slugParam },
    },
    async (c) => {
      const { slug } = c.req.valid('param')
      const { operator_id } = requireCaller(c)
      const platform = await retirePlatform(c.get('db'), slug, operator_id, c.get('now')())
      if (!platform) throw ownPlatformNotFound(slug)
      return c.json(platform, 200)
    },
  )
  .endpoint(
    {
      operationId: 'rotateWebhookSecret',
      method: 'post',
      path: '/platforms/{slug}/webhook-secret',
      access: { by: 'session', limit: 'session' },
      request: { params: slugParam },
    },
    async (c) => {
      const { slug } = c.req.valid('param')
      const now = c.get('now')()
      const webhook_secret = makeWebhookSecret()
      const previousUntil = new Date(now.getTime() + PREVIOUS_SECRET_LIFE_MS)
      const { operator_id: operatorId } = requireCaller(c)
      const secret = await sealSecret(c.get('env'), webhook_secret)
      const outcome = await rotateSecret(c.get('db'), { slug, operatorId, secret, previousUntil }, now)
      if (outcome === 'unknown') throw ownPlatformNotFound(slug)
      if (outcome === 'retired') throw platformRetired(slug)
      return c.json({ slug, webhook_secret, previous_secret_expires_at: previousUntil.toISOString() }, 200)
    },
  )

function requireGoodUrl(url: string | null | undefined, env: Env): void {
  const problem = url ? webhookUrlProblem(url, env) : null
  if (problem) throw new ApiError('VALIDATION_ERROR', `webhook_url: ${problem}`)
}

function sealSecret(env: Env, secret: string): Promise<string> {
  return seal(env.SECRETS_KEY, WEBHOOK_SECRET_PURPOSE, secret)
}
