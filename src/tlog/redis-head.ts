import type { Env } from '../env.ts'
import { connectRedis } from '../services/redis.ts'
import { decodeBase64, encodeBase64 } from '../transparency/bytes.ts'
import type { Hash } from '../transparency/merkle.ts'

/** Next to the database, so that one which was set back is noticed. */
const keyOf = ({ LOG_ORIGIN }: Env) => `tlog:head:${LOG_ORIGIN}`
const TIMEOUT_MS = 2_000 // nobody waits for it; longer where Redis is given more, as on a laptop
const HEAD = /^(0|[1-9]\d{0,15}) (\S+)$/

// A head takes the place of the one that it was held against, or of itself, or of none. To be larger is not enough: next to
// a database that was set back, another may go on from the same head.
const RAISE = `
  local known = redis.call('GET', KEYS[1])
  if known and known ~= ARGV[1] and known ~= ARGV[2] then return known end
  redis.call('SET', KEYS[1], ARGV[2])
  return ''`

/** Size and root of a head. */
export interface Head {
  size: number
  root: Hash
}

/**
 * The newest head that was signed, as Redis knows it; null when it knows none.
 *
 * @throws Error when Redis does not respond, or its response is none
 */
export async function knownHead(env: Env): Promise<Head | null> {
  const value = await connectPatiently(env).get<string>(keyOf(env))
  return value === null ? null : parseHead(value)
}

/**
 * Says that a head is about to be signed: from then on no other is that does not continue it.
 *
 * @param before the head that it was found to continue; null where Redis knew none
 * @returns null; or the head that stands there instead of `before`
 */
export async function raiseHead(env: Env, before: Head | null, head: Head): Promise<Head | null> {
  const known = await connectPatiently(env).eval<[string, string], string>(
    RAISE,
    [keyOf(env)],
    [before ? formatHead(before) : '', formatHead(head)],
  )
  return known === '' ? null : parseHead(known)
}

const formatHead = ({ size, root }: Head) => `${size} ${encodeBase64(root)}`

function parseHead(value: unknown): Head {
  const [, size, base64 = ''] = HEAD.exec(String(value)) ?? []
  const root = decodeBase64(base64)
  if (size === undefined || !root) throw new Error(`Redis: the head of the log must be a size and a root`)
  return { size: Number(size), root }
}

const connectPatiently = (env: Env) => connectRedis(env, Math.max(TIMEOUT_MS, env.REDIS_TIMEOUT_MS))
