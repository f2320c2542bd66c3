import { Redis } from '@upstash/redis/cloudflare'
import type { Env } from '../env.ts'

/**
 * A Redis client for one request or job: one attempt per command, given up after the time-out.
 *
 * @param timeoutMs for all its commands together, from now on
 */
export function connectRedis(env: Env, timeoutMs = env.REDIS_TIMEOUT_MS): Redis {
  const signal = AbortSignal.timeout(timeoutMs)
  return new Redis({
    url: env.UPSTASH_REDIS_REST_URL,
    token: env.UPSTASH_REDIS_REST_TOKEN,
    retry: { retries: 0 }, // `retry: false` sends twice
    enableTelemetry: false,
    enableAutoPipelining: false,
    readYourWrites: false,
    signal: () => signal, // with a plain signal the client turns an abort into an answer instead of an error
  })
}
