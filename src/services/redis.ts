import type { Env } from '../env.ts'

const PATIENCE_MS = 2_000

type Command = readonly [name: string, ...args: (string | number)[]]

/**
 * Asks Redis once, by Upstash's REST API.
 *
 * @param timeoutMs after which the command is given up
 * @returns Redis' reply, as JSON
 * @throws Error when it refuses, or does not answer in time
 *
 * Source: https://upstash.com/docs/redis/features/restapi
 */
export async function askRedis(
  env: Env,
  command: Command,
  timeoutMs = env.REDIS_TIMEOUT_MS,
): Promise<unknown> {
  const response = await fetch(env.UPSTASH_REDIS_REST_URL, {
    method: 'POST',
    headers: { Authorization: `Bearer ${env.UPSTASH_REDIS_REST_TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(command),
    signal: AbortSignal.timeout(timeoutMs),
  })
  const { result, error } = (await response.json()) as { result?: unknown; error?: string } // of Upstash's protocol
  if (!response.ok || result === undefined) throw new Error(`Redis: ${response.status} ${error}`)
  return result
}

/** As `askRedis`, for what no caller waits for; it waits longer still where the settings give Redis more. */
export function askRedisPatiently(env: Env, command: Command): Promise<unknown> {
  return askRedis(env, command, Math.max(PATIENCE_MS, env.REDIS_TIMEOUT_MS))
}
