import type { Env } from '../env.ts'
import { connectRedis } from '../services/redis.ts'
import { decodeBase64, encodeBase64 } from '../transparency/bytes.ts'
import type { Hash } from '../transparency/merkle.ts'

/** Beside the database, so that one which was set back is noticed. */
const keyOf = ({ LOG_ORIGIN }: Env) => `tlog:head:${LOG_ORIGIN}`
const TIMEOUT_MS = 2_000 // nobody waits for it; longer where Redis is given more, as on a laptop
const HEAD = /^(0|[1-9]\d{0,15}) (\S+)$/

// A head takes the place of a smaller one, or of itself; one of the same size with another root would be a fork.
const RAISE = `
  local known = redis.call('GET', KEYS[1])
  if known then
    local size, root = string.match(known, '^(%d+) (%S+)$')
    if tonumber(size) > tonumber(ARGV[1]) or (tonumber(size) == tonumber(ARGV[1]) and root ~= ARGV[2]) then
      return known
    end
  end
  redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. ARGV[2])
  return ''`

/** Size and root of a head. */
export interface Head {
  size: number
  root: Hash
}

/**
 * The newest head that was signed, as Redis knows it; null when it knows none.
 *
 * @throws Error when Redis does not answer, or its answer is none
 */
export async function knownHead(env: Env): Promise<Head | null> {
  const value = await connectPatiently(env).get<string>(keyOf(env))
  return value === null ? null : parseHead(value)
}

/**
 * Says that a head is about to be signed: from then on no smaller one is, nor another of its size.
 *
 * @returns null; or the head that stands there and is not followed by this one
 */
export async function raiseHead(env: Env, { size, root }: Head): Promise<Head | null> {
  const before = await connectPatiently(env).eval<[string, string], string>(
    RAISE,
    [keyOf(env)],
    [String(size), encodeBase64(root)],
  )
  return before === '' ? null : parseHead(before)
}

function parseHead(value: unknown): Head {
  const [, size, base64 = ''] = HEAD.exec(String(value)) ?? []
  const root = decodeBase64(base64)
  if (size === undefined || !root) throw new Error(`Redis: the head of the log must be a size and a root`)
  return { size: Number(size), root }
}

const connectPatiently = (env: Env) => connectRedis(env, Math.max(TIMEOUT_MS, env.REDIS_TIMEOUT_MS))
