import { Redis } from '@upstash/redis/cloudflare'
import type { Env } from '../env.ts'

/**
 * A Redis client: it holds no connection, and makes one attempt at each command.
 *
 * @param timeoutMs after which a command is given up
 */
export function connectRedis(env: Env, timeoutMs = env.REDIS_TIMEOUT_MS): Redis {
  return new Redis({
    url: env.UPSTASH_REDIS_REST_URL,
    token: env.UPSTASH_REDIS_REST_TOKEN,
    retry: { retries: 0 }, // `retry: false` sends twice
    enableTelemetry: false,
    enableAutoPipelining: false,
    readYourWrites: false,
    signal: () => AbortSignal.timeout(timeoutMs), // with a plain signal the client turns an abort into a response instead of an error
  })
}
