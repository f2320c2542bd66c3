import { createMiddleware } from 'hono/factory'
import { ApiError, errorResponse } from '../errors.ts'
import { log } from '../lib/log.ts'
import { askRedis } from '../services/redis.ts'
import { clientIp, limitedAddress } from './address.ts'
import { blocklist } from './blocklist.ts'
import type { App, Ctx } from './context.ts'
import { POLICIES, type Policy, type Verdict } from './limits.ts'

const WINDOW_MS = 60_000
const BLOCKED_MAX = 10_000
const OF_THE_ANSWER = ['ETag', 'Idempotency-Replayed']

/** It only counts; limits are compared here, so that one round trip serves any of them. */
const COUNT = `
  local used = redis.call('INCR', KEYS[1])
  if used == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
  return used`

const blocked = blocklist(BLOCKED_MAX)

/**
 * Counts a request in Redis: one round trip, whatever the limit.
 *
 * @param id whom the count is for: an address, or the SHA-256 of a token
 * @returns never rejects: a silent Redis is a verdict too
 */
export async function count(c: Ctx, policy: Policy, id: string): Promise<Verdict> {
  const { limit } = POLICIES[policy]
  const window = Math.floor(Date.now() / WINDOW_MS)
  const key = `limit:${policy}:${id}:${window}`
  try {
    const used = await askRedis(c.get('env'), ['EVAL', COUNT, 1, key, WINDOW_MS])
    return { policy, limit, used: Number(used), reset: (window + 1) * WINDOW_MS }
  } catch (error) {
    // Redis may quote the command, and with it the hash of a token: only the name is told.
    const name = error instanceof Error ? error.name : typeof error
    log('warning', 'limiter_unavailable', { request_id: c.get('request_id'), error: name })
    return { policy, limit, used: null, reset: Date.now() + WINDOW_MS }
  }
}

/**
 * Counts a request by its address. An address known to be over its limit costs no network step until its reset.
 *
 * @returns a verdict at once when the address is blocked, else one that comes
 */
export function countAddress(c: Ctx, policy: 'public' | 'sign-in'): Verdict | Promise<Verdict> {
  const id = limitedAddress(clientIp(c))
  const known = blocked.find(`${policy}:${id}`, Date.now())
  if (known) return known
  return count(c, policy, id).then((verdict) => {
    if (isOver(verdict)) blocked.add(`${policy}:${id}`, verdict)
    return verdict
  })
}

function isOver(verdict: Verdict): boolean {
  return verdict.used !== null && verdict.used > verdict.limit
}

/** Refuses a request that is over its limit, or that may not pass uncounted. */
export function enforce(verdict: Verdict): void {
  if (verdict.used === null && POLICIES[verdict.policy].whenDown === 'refuse') {
    throw new ApiError('SERVICE_UNAVAILABLE', 'requests cannot be counted at the moment, try again shortly', {
      'Retry-After': '5',
    })
  }
  if (isOver(verdict)) throw rateLimited(verdict)
}

/**
 * Puts the limiter's headers on every answer, and replaces the answer of a request that was over its limit. What
 * reaches no route (404, 405, a preflight) is counted by its address, and keeps its answer.
 */
export function rateLimit() {
  return createMiddleware<App>(async function rateLimit(c, next) {
    await next()
    const counted = c.get('verdict')
    const verdict = await (counted ?? countAddress(c, 'public'))
    if (counted && isOver(verdict) && c.res.status !== 429) {
      const refusal = errorResponse(rateLimited(verdict), c.get('env').BASE_URL)
      const help = refusal.headers.get('Link') ?? ''
      c.res = refusal
      // Hono carries over what the dropped answer had said of itself, and prefers it.
      for (const name of OF_THE_ANSWER) c.res.headers.delete(name)
      c.res.headers.set('Link', help)
      c.res.headers.set('Cache-Control', 'no-store')
    }
    const used = verdict.used ?? 0
    c.res.headers.set('X-RateLimit-Limit', String(verdict.limit))
    c.res.headers.set('X-RateLimit-Remaining', String(Math.max(0, verdict.limit - used)))
    c.res.headers.set('X-RateLimit-Reset', String(Math.ceil(verdict.reset / 1000)))
  })
}

function rateLimited(verdict: Verdict): ApiError {
  const seconds = Math.max(1, Math.ceil((verdict.reset - Date.now()) / 1000))
  return new ApiError('RATE_LIMITED', `over ${verdict.limit} requests a minute, try again in ${seconds} s`, {
    'Retry-After': String(seconds),
  })
}
