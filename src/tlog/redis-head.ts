import type { Env } from '../env.ts'
import { connectPatiently } from '../services/redis.ts'
import { decodeBase64, encodeBase64 } from '../transparency/bytes.ts'
import type { Hash } from '../transparency/merkle.ts'

/** The newest head is also kept in Redis, so that a database that was set back to an older state is detected. */
const keyOf = ({ LOG_ORIGIN }: Env) => `tlog:head:${LOG_ORIGIN}`
const HEAD = /^(0|[1-9]\d{0,15}) (\S+)$/

// A head replaces the head that it was checked against, itself, or none. Being larger is not enough: after a database
// was set back, two different trees can continue from the same head.
const RAISE = `
  local known = redis.call('GET', KEYS[1])
  if known and known ~= ARGV[1] and known ~= ARGV[2] then return known end
  redis.call('SET', KEYS[1], ARGV[2])
  return ''`

export interface Head {
  size: number
  root: Hash
}

/**
 * The newest signed head that Redis has; null if it has none.
 *
 * @throws Error if Redis does not respond, or its value is not a head
 */
export async function knownHead(env: Env): Promise<Head | null> {
  const value = await connectPatiently(env).get<string>(keyOf(env))
  return value === null ? null : parseHead(value)
}

/**
 * Records a head before it is signed, so that afterwards no head is signed that does not continue it.
 *
 * @param before the head that it was found to continue; null if Redis had none
 * @returns null; or the head that Redis has instead of `before`
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
