import type { Env } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { log } from '../lib/log.ts'
import { sleep } from '../lib/timeout.ts'
import { connectRedis } from '../services/redis.ts'

const USAGE = 'usage'
const FOLDING = 'usage:folding'
const FOLD_ID = 'fold'
const TIMEOUT_MS = 2_000 // nobody waits for it; longer where Redis is given more, as on a laptop
const GATHER_MS = 5_000 // what comes after a response may take 30 s
const LOST_MS = 15_000

const TAKE = `
  if redis.call('EXISTS', KEYS[2]) == 0 then
    if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
    redis.call('RENAME', KEYS[1], KEYS[2])
  end
  redis.call('HSETNX', KEYS[2], '${FOLD_ID}', ARGV[1])
  return redis.call('HGETALL', KEYS[2])`

const DROP = `
  if redis.call('HGET', KEYS[1], '${FOLD_ID}') == ARGV[1] then return redis.call('DEL', KEYS[1]) end
  return 0`

/** What one key was used since the last fold. */
export interface Usage {
  key_id: string
  requests: number
  /** ISO 8601 */
  last_used_at: string | null
}

/** A portion of usage, taken out of Redis; the id it gets then makes sure that it is added once. */
export interface Fold {
  id: string
  usage: Usage[]
}

/** Uses by key that Redis has not been notified of. */
let gathered = new Map<string, { requests: number; last_used_at: string }>()
let gatheredSince = Number.NEGATIVE_INFINITY

/**
 * Counts a use of a key in Redis, after the response; Postgres learns of it by the fold. The first use tells Redis of all
 * that have come in the isolate until 5 s later: one call for many requests. An isolate that ends before loses
 * what it gathered, as it would lose a call under way.
 */
export function countUse(c: Ctx, keyId: string): void {
  const last_used_at = c.get('now')().toISOString()
  const requests = (gathered.get(keyId)?.requests ?? 0) + 1
  gathered.set(keyId, { requests, last_used_at })
  // Should the request that gathers have been cut off, a later one takes over.
  if (Date.now() - gatheredSince < LOST_MS) return
  gatheredSince = Date.now()
  const telling = sleep(GATHER_MS).then(() => tellUses(c.get('env')))
  c.get('waitUntil')(
    telling.catch(() => log('warning', 'usage_not_counted', { request_id: c.get('request_id') })),
  )
}

const connectPatiently = (env: Env) => connectRedis(env, Math.max(TIMEOUT_MS, env.REDIS_TIMEOUT_MS))

async function tellUses(env: Env): Promise<void> {
  const uses = gathered
  gathered = new Map()
  gatheredSince = Number.NEGATIVE_INFINITY
  if (uses.size === 0) return
  const counting = connectPatiently(env).multi() // a fold must find both or none
  for (const [keyId, { requests }] of uses) counting.hincrby(USAGE, `requests:${keyId}`, requests)
  const times = Array.from(uses, ([keyId, { last_used_at }]) => [`at:${keyId}`, last_used_at])
  counting.hset(USAGE, Object.fromEntries(times))
  await counting.exec()
}

/** Takes the usage out of Redis, or takes up the portion that an earlier fold did not finish; null when there is none. */
export async function takeUsage(env: Env): Promise<Fold | null> {
  const redis = connectPatiently(env)
  const id = crypto.randomUUID()
  const fields = await redis.eval<[string], (string | number)[]>(TAKE, [USAGE, FOLDING], [id])
  if (fields.length === 0) return null
  const pairs = fields.flatMap((field, i) =>
    i % 2 === 0 ? [[String(field), fields[i + 1] ?? ''] as const] : [],
  )
  return toFold(Object.fromEntries(pairs))
}

/** Forgets a portion that Postgres has; another one that stands in its place by now stays. */
export async function dropUsage(env: Env, { id }: Fold): Promise<void> {
  await connectPatiently(env).eval(DROP, [FOLDING], [id])
}

function toFold(fields: Record<string, string | number>): Fold {
  const usage = Object.entries(fields).flatMap(([field, value]) => {
    const key_id = field.startsWith('requests:') ? field.slice('requests:'.length) : null
    if (key_id === null) return []
    return [{ key_id, requests: Number(value), last_used_at: fields[`at:${key_id}`]?.toString() ?? null }]
  })
  return { id: String(fields[FOLD_ID]), usage }
}
