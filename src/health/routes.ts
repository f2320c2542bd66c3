import { Hono } from 'hono'
import type { App, Ctx } from '../http/context.ts'
import { connectRedis } from '../http/redis.ts'
import { within } from '../lib/within.ts'
import { connectQStash } from '../webhooks/qstash.ts'
import { findHealth, type Health } from './store.ts'

const KEPT_MS = 5_000
const PART_DEADLINE_MS = 2_000

type Part = 'ok' | 'down'

interface Report {
  /** Degraded: answers are given, but not counted or not delivered. */
  status: Part | 'degraded'
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
  const answerOf = <T>(work: Promise<T>) => within(PART_DEADLINE_MS, work).catch(() => null)
  const [health, redis, qstash] = await Promise.all([
    answerOf(findHealth(db, now)),
    answerOf(connectRedis(env, PART_DEADLINE_MS).ping()),
    answerOf(connectQStash(env).http.request({ path: ['v2', 'keys'], method: 'GET' })),
  ])
  return {
    status: !health ? 'down' : redis && qstash ? 'ok' : 'degraded',
    postgres: health ? 'ok' : 'down',
    redis: redis ? 'ok' : 'down',
    qstash: qstash ? 'ok' : 'down',
    jobs: health?.jobs ?? {},
    oldest_pending_delivery_seconds: health?.oldest_pending_delivery_seconds ?? null,
    oldest_unscored_agent_seconds: health?.oldest_unscored_agent_seconds ?? null,
    checked_at: now.toISOString(),
  }
}
