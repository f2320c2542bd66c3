import { Redis } from '@upstash/redis/cloudflare'
import type { Env } from '../env.ts'

const PATIENT_MS = 2_000

/**
 * A Redis client over HTTP that makes one attempt at each command.
 *
 * @param timeoutMs time limit of a command
 */
export function connectRedis(env: Env, timeoutMs = env.REDIS_TIMEOUT_MS): Redis {
  return new Redis({
    url: env.UPSTASH_REDIS_REST_URL,
    token: env.UPSTASH_REDIS_REST_TOKEN,
    retry: { retries: 0 }, // `retry: false` sends twice
    enableTelemetry: false,
    enableAutoPipelining: false,
    readYourWrites: false,
    signal: () => AbortSignal.timeout(timeoutMs), // given a plain signal, the client does not throw when it aborts
  })
}

/** A client for what no request waits for: 2 s, or `REDIS_TIMEOUT_MS` if that is longer, as on a laptop. */
export const connectPatiently = (env: Env) => connectRedis(env, Math.max(PATIENT_MS, env.REDIS_TIMEOUT_MS))
