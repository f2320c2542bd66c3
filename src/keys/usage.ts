import type { Env } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { connectRedis } from '../http/redis.ts'
import { log } from '../http/request-log.ts'

const USAGE = 'usage'
const FOLDING = 'usage:folding'
const FOLD_ID = 'fold'
const TIMEOUT_MS = 2_000

/** What one key was used since the last fold. */
export interface Usage {
  key_id: string
  requests: number
  /** ISO 8601 */
  last_used_at: string
}

/** A portion of usage, taken out of Redis; its id makes sure that it is added once. */
export interface Fold {
  id: string
  usage: Usage[]
}

/** Counts a use of a key in Redis, after the answer; Postgres learns of it by the fold. */
export function countUse(c: Ctx, keyId: string): void {
  const at = c.get('now')().toISOString()
  const counting = connectRedis(c.get('env'), TIMEOUT_MS)
    .pipeline()
    .hsetnx(USAGE, FOLD_ID, crypto.randomUUID())
    .hincrby(USAGE, `requests:${keyId}`, 1)
    .hset(USAGE, { [`at:${keyId}`]: at })
    .exec()
  c.get('later')(
    counting.catch(() => log('warning', 'usage_not_counted', { request_id: c.get('request_id') })),
  )
}

/** Takes the usage out of Redis, or takes up the portion that an earlier fold did not finish; null when there is none. */
export async function takeUsage(env: Env): Promise<Fold | null> {
  const redis = connectRedis(env, TIMEOUT_MS)
  if ((await redis.exists(FOLDING)) === 0) {
    if ((await redis.exists(USAGE)) === 0) return null
    await redis.renamenx(USAGE, FOLDING)
  }
  const fields = await redis.hgetall<Record<string, string | number>>(FOLDING)
  return fields && toFold(fields)
}

/** Forgets a portion that Postgres has. */
export async function dropUsage(env: Env): Promise<void> {
  await connectRedis(env, TIMEOUT_MS).del(FOLDING)
}

function toFold(fields: Record<string, string | number>): Fold {
  const usage = Object.entries(fields).flatMap(([field, value]) => {
    const key_id = field.startsWith('requests:') ? field.slice('requests:'.length) : null
    if (key_id === null) return []
    return [{ key_id, requests: Number(value), last_used_at: String(fields[`at:${key_id}`] ?? '') }]
  })
  return { id: String(fields[FOLD_ID]), usage }
}
