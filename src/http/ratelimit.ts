import { Ratelimit } from '@upstash/ratelimit'
import { createMiddleware } from 'hono/factory'
import type { Env } from '../env.ts'
import { ApiError, errorResponse, unavailable } from '../errors.ts'
import { log } from '../lib/log.ts'
import { sleep } from '../lib/timeout.ts'
import { connectRedis } from '../services/redis.ts'
import { clientIp, limitedAddress } from './address.ts'
import { blocklist } from './blocklist.ts'
import type { App, Ctx } from './context.ts'
import {
  addCall,
  type Call,
  type Counter,
  counters,
  giveUp,
  isDue,
  positionOf,
  recordTotal,
  send,
} from './counters.ts'
import { type AddressPolicy, POLICIES, type Policy, type RateLimit } from './limits.ts'

const WINDOW_MS = 60_000
const UNREACHED = 1e9 // the script only counts: limits are compared here, so that one script serves all
const BLOCKED_MAX = 10_000
const COUNTED_MAX = 50_000 // about 250 bytes each, for two windows
const POLL_MS = 5
const SLACK_MS = 500
const DROPPED_HEADERS = ['ETag', 'Idempotency-Replayed']

const blocked = blocklist(BLOCKED_MAX)
const counted = counters(COUNTED_MAX)
const limiters = new WeakMap<Env, Ratelimit>()

/**
 * Counts a request. The isolate adds many requests to Redis together; one by one if the limit is small or nearly
 * reached, or if the policy rejects requests while Redis is unavailable.
 *
 * @param id who is counted: an IP address, or the SHA-256 of a token
 * @returns the rate limit, or a promise of it that never rejects: `used` is null if Redis does not respond
 */
export function countRequest(c: Ctx, policy: Policy, id: string): RateLimit | Promise<RateLimit> {
  const { limit, whenDown } = POLICIES[policy]
  const now = Date.now()
  const known = policy === 'key' ? undefined : limit
  const counter = whenDown === 'pass' ? counted.find(`${policy}:${id}`, known, now) : undefined
  if (!counter)
    return addToRedis(c, `${policy}:${id}`, 1).then((total) => toRateLimit(policy, total, nextReset(now)))
  giveUp(counter, now)
  const call = addCall(counter)
  if (call.used === undefined) return countOf(c, policy, id, counter, call)
  if (isDue(counter)) c.get('waitUntil')(sync(c, `${policy}:${id}`, counter))
  return toRateLimit(policy, call.used, counter.reset)
}

/** Sets the limit of a key, as stored in the database; before that, its calls are added to Redis one by one. */
export function setKeyLimit(id: string, limit: number): void {
  counted.setLimit(`key:${id}`, limit)
}

/**
 * The rate limit of a call that must be added to Redis, by this request or by another one that is doing so. It polls
 * for the result of another request: a promise of that request would never settle if the request is canceled.
 */
async function countOf(c: Ctx, policy: Policy, id: string, counter: Counter, call: Call): Promise<RateLimit> {
  for (;;) {
    const now = Date.now()
    giveUp(counter, now)
    const position = positionOf(call)
    if (position !== undefined) return toRateLimit(policy, position, counter.reset)
    if (counter.sent) await sleep(POLL_MS)
    else if (now >= counter.reset) return countRequest(c, policy, id)
    else {
      const syncing = sync(c, `${policy}:${id}`, counter)
      c.get('waitUntil')(syncing) // even if the caller disconnects
      await syncing
    }
  }
}

/** Adds the open calls of a caller to Redis. */
async function sync(c: Ctx, key: string, counter: Counter): Promise<void> {
  // Twice the timeout: the client sends a second command, with the script's text, if Redis has lost the script.
  const batch = send(counter, Date.now() + 2 * c.get('env').REDIS_TIMEOUT_MS + SLACK_MS)
  recordTotal(counter, batch, await addToRedis(c, key, batch.size))
}

/**
 * Adds calls to a counter in Redis, in one round trip.
 *
 * @returns the calls in its window after that; null if Redis did not respond
 */
async function addToRedis(c: Ctx, key: string, calls: number): Promise<number | null> {
  try {
    const { remaining } = await limiterOf(c.get('env')).limit(key, { rate: calls })
    return UNREACHED - remaining
  } catch (error) {
    // Only the name is logged: the client's messages contain the command and so the hash of a token.
    const name = error instanceof Error ? error.name : typeof error
    log('warning', 'limiter_unavailable', { request_id: c.get('request_id'), error: name })
    return null
  }
}

function toRateLimit(policy: Policy, used: number | null, reset: number): RateLimit {
  return {
    policy,
    limit: POLICIES[policy].limit,
    used,
    reset: used === null ? Date.now() + WINDOW_MS : reset,
  }
}

function nextReset(now: number): number {
  return (Math.floor(now / WINDOW_MS) + 1) * WINDOW_MS
}

/**
 * Counts a request by its IP address. An address that is over its limit costs no network step until its reset.
 *
 * @returns the rate limit, or a promise of it
 */
export function countAddress(c: Ctx, policy: AddressPolicy): RateLimit | Promise<RateLimit> {
  const id = limitedAddress(clientIp(c))
  const known = blocked.find(`${policy}:${id}`, Date.now())
  if (known) return known
  const rateLimit = countRequest(c, policy, id)
  if (!(rateLimit instanceof Promise)) return rateLimit
  return rateLimit.then((late) => {
    if (isOver(late)) blocked.add(`${policy}:${id}`, late)
    return late
  })
}

/** Whether a request is over its limit. */
export function isOver(rateLimit: RateLimit): boolean {
  return rateLimit.used !== null && rateLimit.used > rateLimit.limit
}

/** Rejects a request that is over its limit, or that was not counted although its policy requires that. */
export function enforce(rateLimit: RateLimit): void {
  if (rateLimit.used === null && POLICIES[rateLimit.policy].whenDown === 'reject') {
    throw unavailable('rate limits cannot be checked at the moment; try again shortly')
  }
  if (isOver(rateLimit)) throw rateLimited(rateLimit)
}

/**
 * Sets the rate-limit headers on every response, and replaces the response to a request that was over its limit.
 * Requests that reach no route (404, 405, preflight) are counted by IP address and keep their response.
 */
export function rateLimit() {
  return createMiddleware<App>(async function rateLimit(c, next) {
    await next()
    const counted = c.get('rateLimit')
    const rateLimit = await (counted ?? countAddress(c, 'public'))
    if (counted && isOver(rateLimit) && c.res.status !== 429) {
      const rejection = errorResponse(rateLimited(rateLimit), c.get('env').BASE_URL)
      const help = rejection.headers.get('Link') ?? ''
      c.res = rejection
      // Hono copies the headers of the replaced response, which take precedence.
      for (const name of DROPPED_HEADERS) c.res.headers.delete(name)
      c.res.headers.set('Link', help)
      c.res.headers.set('Cache-Control', 'no-store')
    }
    const used = rateLimit.used ?? 0
    c.res.headers.set('X-RateLimit-Limit', String(rateLimit.limit))
    c.res.headers.set('X-RateLimit-Remaining', String(Math.max(0, rateLimit.limit - used)))
    c.res.headers.set('X-RateLimit-Reset', String(Math.ceil(rateLimit.reset / 1000)))
  })
}

function rateLimited(rateLimit: RateLimit): ApiError {
  const seconds = Math.max(1, Math.ceil((rateLimit.reset - Date.now()) / 1000))
  const message = `rate limit of ${rateLimit.limit} requests per minute exceeded; try again in ${seconds} s`
  return new ApiError('RATE_LIMITED', message, { 'Retry-After': String(seconds) })
}

/** The limiter of an isolate, made from the settings alone. It holds no state. */
export function limiterOf(env: Env): Ratelimit {
  const known = limiters.get(env)
  if (known) return known
  const limiter = new Ratelimit({
    redis: connectRedis(env),
    limiter: Ratelimit.fixedWindow(UNREACHED, '60 s'),
    prefix: 'limit',
    ephemeralCache: false,
    analytics: false,
    enableTelemetry: false,
    timeout: 0, // its own timeout would let a request pass with zeros in the headers
  })
  limiters.set(env, limiter)
  return limiter
}
