import { Ratelimit } from '@upstash/ratelimit/dist/index.mjs' // its main is CommonJS, of which nothing can be left out
import { createMiddleware } from 'hono/factory'
import type { Env } from '../env.ts'
import { ApiError, errorResponse } from '../errors.ts'
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
  placeOf,
  recordTotal,
  send,
} from './counters.ts'
import { type AddressPolicy, POLICIES, type Policy, type RateLimit } from './limits.ts'

const WINDOW_MS = 60_000
const UNREACHED = 1e9 // the script only counts; the limits below are compared here, so one script serves all
const BLOCKED_MAX = 10_000
const COUNTED_MAX = 50_000 // some 250 bytes each, for two windows
const POLL_MS = 5
const SLACK_MS = 500
const OF_THE_ANSWER = ['ETag', 'Idempotency-Replayed']

const blocked = blocklist(BLOCKED_MAX)
const counted = counters(COUNTED_MAX)
const limiters = new WeakMap<Env, Ratelimit>()

/**
 * Counts a request in the isolate, which adds many to Redis at once; one by one where a limit is small or near, and
 * those that are rejected while Redis is away.
 *
 * @param id whom the count is for: an address, or the SHA-256 of a token
 * @returns it at once, or one that comes; never rejects: when Redis is silent, `used` is null
 */
export function count(c: Ctx, policy: Policy, id: string): RateLimit | Promise<RateLimit> {
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

/** Takes note of the limit that the database has for a key: until then its calls are added one by one. */
export function holdKey(id: string, limit: number): void {
  counted.hold(`key:${id}`, limit)
}

/**
 * The rate limit of a call that has to be added to Redis: by this request, unless another one does. It looks whether that
 * one is done instead of waiting for its promise, which would end with it.
 */
async function countOf(c: Ctx, policy: Policy, id: string, counter: Counter, call: Call): Promise<RateLimit> {
  for (;;) {
    const now = Date.now()
    giveUp(counter, now)
    const place = placeOf(call)
    if (place !== undefined) return toRateLimit(policy, place, counter.reset)
    if (counter.sent) await sleep(POLL_MS)
    else if (now >= counter.reset) return count(c, policy, id)
    else {
      const syncing = sync(c, `${policy}:${id}`, counter)
      c.get('waitUntil')(syncing) // also when the caller has hung up
      await syncing
    }
  }
}

/** Adds all calls of a caller to Redis that it does not have. */
async function sync(c: Ctx, key: string, counter: Counter): Promise<void> {
  // The client sends the script's text when Redis has lost it: that is a second time-out.
  const batch = send(counter, Date.now() + 2 * c.get('env').REDIS_TIMEOUT_MS + SLACK_MS)
  recordTotal(counter, batch, await addToRedis(c, key, batch.size))
}

/**
 * Adds calls to a counter in Redis: one round trip, whatever the limit.
 *
 * @returns how many its window has then; null when Redis was silent
 */
async function addToRedis(c: Ctx, key: string, calls: number): Promise<number | null> {
  try {
    const { remaining } = await limiterOf(c.get('env')).limit(key, { rate: calls })
    return UNREACHED - remaining
  } catch (error) {
    // The client's messages carry the command, and with it the hash of a token: only the name is logged.
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
 * Counts a request by its address. An address known to be over its limit costs no network step until its reset.
 *
 * @returns it at once, or one that comes
 */
export function countAddress(c: Ctx, policy: AddressPolicy): RateLimit | Promise<RateLimit> {
  const id = limitedAddress(clientIp(c))
  const known = blocked.find(`${policy}:${id}`, Date.now())
  if (known) return known
  const rateLimit = count(c, policy, id)
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

/** Rejects a request that is over its limit, or that may not pass uncounted. */
export function enforce(rateLimit: RateLimit): void {
  if (rateLimit.used === null && POLICIES[rateLimit.policy].whenDown === 'reject') {
    throw new ApiError(
      'SERVICE_UNAVAILABLE',
      'rate limits cannot be checked at the moment; try again shortly',
      {
        'Retry-After': '5',
      },
    )
  }
  if (isOver(rateLimit)) throw rateLimited(rateLimit)
}

/**
 * Puts the limiter's headers on every response, and replaces the response of a request that was over its limit. What
 * reaches no route (404, 405, a preflight) is counted by its address, and keeps its response.
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
      // Hono carries over what the dropped response had said of itself, and prefers it.
      for (const name of OF_THE_ANSWER) c.res.headers.delete(name)
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
  return new ApiError(
    'RATE_LIMITED',
    `rate limit of ${rateLimit.limit} requests per minute exceeded; try again in ${seconds} s`,
    {
      'Retry-After': String(seconds),
    },
  )
}

/** The limiter of an isolate: it is made of the settings alone, and remembers nothing. */
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
    timeout: 0, // its own time-out would let a request pass with zeros in the headers
  })
  limiters.set(env, limiter)
  return limiter
}
