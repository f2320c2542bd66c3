import { Client } from '@upstash/qstash'
import { Hono } from 'hono'
import type { App, Ctx } from '../http/context.ts'
import { connectRedis } from '../http/redis.ts'
import { findHealth, type Health } from './store.ts'

const KEPT_MS = 5_000
const PART_DEADLINE_MS = 2_000

type Part = 'ok' | 'down'

interface Report {
  status: Part
  postgres: Part
  redis: Part
  qstash: Part
  jobs: Health['jobs']
  oldest_pending_delivery_seconds: number | null
  oldest_unscored_agent_seconds: number | null
  checked_at: string
}

let kept: { report: Report; until: number } | undefined

/** `/health`: the Worker runs. `/ready`: which of its parts answer; kept for five seconds per isolate. */
export const healthRoutes = new Hono<App>()
  .get('/health', (c) => c.json({ status: 'ok' }))
  .get('/ready', async (c) => {
    if (!kept || kept.until < Date.now()) kept = { report: await check(c), until: Date.now() + KEPT_MS }
    c.header('Cache-Control', 'no-store')
    return c.json(kept.report, kept.report.postgres === 'ok' ? 200 : 503)
  })

async function check(c: Ctx): Promise<Report> {
  const { env, db } = c.var
  const now = c.get('now')()
  const [health, redis, qstash] = await Promise.all([
    within(findHealth(db, now)),
    within(connectRedis(env, PART_DEADLINE_MS).ping()),
    within(
      new Client({
        baseUrl: env.QSTASH_URL,
        token: env.QSTASH_TOKEN,
        retry: false,
        devMode: false,
        enableTelemetry: false,
      }).http.request({ path: ['v2', 'keys'], method: 'GET' }),
    ),
  ])
  return {
    status: health && redis && qstash ? 'ok' : 'down',
    postgres: health ? 'ok' : 'down',
    redis: redis ? 'ok' : 'down',
    qstash: qstash ? 'ok' : 'down',
    jobs: health?.jobs ?? {},
    oldest_pending_delivery_seconds: health?.oldest_pending_delivery_seconds ?? null,
    oldest_unscored_agent_seconds: health?.oldest_unscored_agent_seconds ?? null,
    checked_at: now.toISOString(),
  }
}

/** What the work gives, or null when it fails or is not done in time. */
async function within<T>(work: Promise<T>): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), PART_DEADLINE_MS)
  })
  return Promise.race([work.catch(() => null), late]).finally(() => clearTimeout(timer))
}
