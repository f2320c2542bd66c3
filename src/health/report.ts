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

export type PartState = 'ok' | 'down'

/** Behind: the database lacks leaves that were signed. */
export type LogState = 'off' | 'ok' | 'paused' | 'behind'

/** What `/ready` tells. */
export interface Report {
  /** Degraded: responses are given, but not counted, not delivered or not logged. */
  status: PartState | 'degraded'
  postgres: PartState
  redis: PartState
  qstash: PartState
  jobs: Health['jobs']
  oldest_pending_delivery_seconds: number | null
  oldest_unscored_agent_seconds: number | null
  oldest_unlogged_event_seconds: number | null
  oldest_pending_mail_seconds: number | null
  /** The transparency log: leaves, those below its newest stored head, and whether it goes on. */
  log: { size: number; signed_size: number; state: LogState } | null
  /** What runs: Cloudflare's id of it, its commit, and when it was deployed; null on a runtime that does not say. */
  version: { id: string; commit: string; deployed_at: string } | null
  /** How many the database has. */
  migrations: number | null
  checked_at: string
}

// Data alone: a promise would belong to the request that has made it.
let kept: { report: Report; at: number } | undefined
let checkingUntil = 0

/**
 * Which parts respond, kept for five seconds per isolate. However many ask at once, one checks, and the others wait until
 * its report is there; should it never be, the next checks.
 */
export async function freshReport(c: Ctx): Promise<Report> {
  const now = c.get('now')().getTime()
  const isFresh = () => kept !== undefined && Math.abs(now - kept.at) < KEPT_MS
  while (!isFresh() && checkingUntil > Date.now()) await sleep(POLL_MS)
  if (kept && isFresh()) return kept.report
  const until = Date.now() + partDeadline(c) + SLACK_MS
  checkingUntil = until
  const done = check(c).finally(() => {
    if (checkingUntil === until) checkingUntil = 0
  })
  c.get('waitUntil')(done) // also when the caller who checks has hung up
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
    responseOf(askRedis(env, deadline)),
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
  kept = { report, at: now.getTime() }
  log('info', 'ready', { ...report }) // what alerts ask for (docs/alerts.yaml)
  return report
}

/** Whether Redis responds; where there is a log, with the size of the newest head that it knows. */
async function askRedis(env: Env, timeoutMs: number): Promise<{ head: number | null }> {
  if (env.LOG_KEY) return { head: (await knownHead(env))?.size ?? null }
  await connectRedis(env, timeoutMs).ping()
  return { head: null }
}

function logState(env: Env, { size, paused }: Health['log'], head: number | null): LogState {
  if (!env.LOG_KEY) return 'off'
  if (paused) return 'paused'
  return head !== null && head > size ? 'behind' : 'ok'
}
