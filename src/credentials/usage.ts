import type { Env } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { log } from '../lib/log.ts'
import { sleep } from '../lib/timeout.ts'
import { connectPatiently } from '../services/redis.ts'

const USAGE = 'usage'
const FOLDING = 'usage:folding'
const FOLD_ID = 'fold'
const GATHER_MS = 5_000 // work after a response may take 30 s
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

/** The use of one key since the last fold. */
interface Usage {
  key_id: string
  requests: number
  /** ISO 8601 */
  last_used_at: string | null
}

/** A portion of usage taken out of Redis; its id makes sure that it is added to Postgres once. */
export interface Fold {
  id: string
  usage: Usage[]
}

/** Uses by key that have not been sent to Redis yet. */
let gathered = new Map<string, { requests: number; last_used_at: string }>()
let gatheredSince = Number.NEGATIVE_INFINITY

/**
 * Counts a use of a key in Redis after the response; the fold adds it to Postgres. The first use sends all uses of the
 * isolate 5 s later, so that many requests share one call. An isolate that ends before that loses them, as it would
 * lose a call in progress.
 */
export function countUse(c: Ctx, keyId: string): void {
  const last_used_at = c.get('now')().toISOString()
  const requests = (gathered.get(keyId)?.requests ?? 0) + 1
  gathered.set(keyId, { requests, last_used_at })
  // If the request that gathers was interrupted, a later one takes over.
  if (Date.now() - gatheredSince < LOST_MS) return
  gatheredSince = Date.now()
  const sending = sleep(GATHER_MS).then(() => sendUses(c.get('env')))
  c.get('waitUntil')(
    sending.catch(() => log('warning', 'usage_not_counted', { request_id: c.get('request_id') })),
  )
}

async function sendUses(env: Env): Promise<void> {
  const uses = gathered
  gathered = new Map()
  gatheredSince = Number.NEGATIVE_INFINITY
  if (uses.size === 0) return
  const counting = connectPatiently(env).multi() // a fold must see both counters and times, or neither
  for (const [keyId, { requests }] of uses) counting.hincrby(USAGE, `requests:${keyId}`, requests)
  const times = Array.from(uses, ([keyId, { last_used_at }]) => [`at:${keyId}`, last_used_at])
  counting.hset(USAGE, Object.fromEntries(times))
  await counting.exec()
}

/** Takes the usage out of Redis, or the portion that an earlier fold did not finish; null if there is none. */
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

/** Deletes a portion that Postgres has stored, unless another portion has taken its place. */
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
