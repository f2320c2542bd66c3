import type { Env } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { log } from '../lib/log.ts'
import { sleep, withTimeout } from '../lib/timeout.ts'
import { connectQStash } from '../services/qstash.ts'
import { connectRedis } from '../services/redis.ts'
import { knownHead } from '../tlog/redis-head.ts'
import { findHealth, type Health } from './store.ts'

const KEPT_MS = 5_000
const PART_SHARE = 0.4 // of the request's deadline: 2 of 5 seconds
const SLACK_MS = 500
const POLL_MS = 50

type PartState = 'ok' | 'down'

/** `behind`: leaves of a signed head are missing in the database. */
export type LogState = 'off' | 'ok' | 'paused' | 'behind'

/** The response of `/ready`. */
export interface Report {
  /** `degraded`: requests are served, but some are not rate-limited, delivered, or added to the transparency log. */
  status: PartState | 'degraded'
  postgres: PartState
  redis: PartState
  qstash: PartState
  jobs: Health['jobs']
  oldest_pending_delivery_seconds: number | null
  oldest_unscored_agent_seconds: number | null
  oldest_unlogged_event_seconds: number | null
  oldest_pending_mail_seconds: number | null
  /** The transparency log: its leaves, those covered by its newest stored head, and its state. */
  log: { size: number; signed_size: number; state: LogState } | null
  /** The deployed version: its id at Cloudflare, commit, and time of deployment; null if the runtime does not provide it. */
  version: { id: string; commit: string; deployed_at: string } | null
  /** The number of migrations applied to the database. */
  migrations: number | null
  checked_at: string
}

// Not a promise: the runtime ties a promise to the request that created it.
let cached: { report: Report; at: number } | undefined
let checkingUntil = 0

/**
 * The state of each part, cached for five seconds per isolate. Of concurrent requests, one runs the check and the others
 * wait for its report; if it does not finish in time, the next one runs the check.
 */
export async function freshReport(c: Ctx): Promise<Report> {
  const now = c.get('now')().getTime()
  const isFresh = () => cached !== undefined && Math.abs(now - cached.at) < KEPT_MS
  while (!isFresh() && checkingUntil > Date.now()) await sleep(POLL_MS)
  if (cached && isFresh()) return cached.report
  const until = Date.now() + partDeadline(c) + SLACK_MS
  checkingUntil = until
  const done = check(c).finally(() => {
    if (checkingUntil === until) checkingUntil = 0
  })
  c.get('waitUntil')(done) // finish even if the caller disconnects
  return done
}

function partDeadline(c: Ctx): number {
  return PART_SHARE * c.get('env').REQUEST_DEADLINE_MS
}

async function check(c: Ctx): Promise<Report> {
  const { env, db } = c.var
  const now = c.get('now')()
  const deadline = partDeadline(c)
  const responseOf = <T>(work: Promise<T>) => withTimeout(deadline, work).catch(() => null)
  const [health, redis, qstash] = await Promise.all([
    responseOf(findHealth(db, now)),
    responseOf(checkRedis(env, deadline)),
    responseOf(connectQStash(env).http.request({ path: ['v2', 'keys'], method: 'GET' })),
  ])
  const state = health ? logState(env, health.log, redis?.head ?? null) : 'off'
  const isWhole = redis && qstash && (state === 'ok' || state === 'off')
  const report: Report = {
    status: !health ? 'down' : isWhole ? 'ok' : 'degraded',
    postgres: health ? 'ok' : 'down',
    redis: redis ? 'ok' : 'down',
    qstash: qstash ? 'ok' : 'down',
    jobs: health?.jobs ?? {},
    oldest_pending_delivery_seconds: health?.oldest_pending_delivery_seconds ?? null,
    oldest_unscored_agent_seconds: health?.oldest_unscored_agent_seconds ?? null,
    oldest_unlogged_event_seconds: health?.oldest_unlogged_event_seconds ?? null,
    oldest_pending_mail_seconds: health?.oldest_pending_mail_seconds ?? null,
    log: health && { size: health.log.size, signed_size: health.log.signed_size, state },
    version: env.VERSION
      ? { id: env.VERSION.id, commit: env.VERSION.tag, deployed_at: env.VERSION.timestamp }
      : null,
    migrations: health?.migrations ?? null,
    checked_at: now.toISOString(),
  }
  cached = { report, at: now.getTime() }
  log('info', 'ready', { ...report }) // alerts are defined on this event (docs/operate/alerts.yaml)
  return report
}

/** Checks that Redis responds; returns the size of the newest head stored in it, if there is a transparency log. */
async function checkRedis(env: Env, timeoutMs: number): Promise<{ head: number | null }> {
  if (env.LOG_KEY) return { head: (await knownHead(env))?.size ?? null }
  await connectRedis(env, timeoutMs).ping()
  return { head: null }
}

function logState(env: Env, { size, paused }: Health['log'], head: number | null): LogState {
  if (!env.LOG_KEY) return 'off'
  if (paused) return 'paused'
  return head !== null && head > size ? 'behind' : 'ok'
}
