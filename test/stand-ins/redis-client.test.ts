import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis as Full } from '@upstash/redis/cloudflare'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { redisClient } from '../../scripts/assets/redis.ts'

const PACKAGE = join(import.meta.dirname, '../../node_modules/@upstash/redis')

let Reduced: typeof Full

beforeAll(async () => {
  const platform = readFileSync(join(PACKAGE, 'cloudflare.mjs'), 'utf8')
  const shared = readFileSync(join(PACKAGE, /chunk-\w+\.mjs/.exec(platform)?.[0] ?? ''), 'utf8')
  const source = redisClient(shared, platform)
  ;({ Redis: Reduced } = await import(
    `data:text/javascript;base64,${Buffer.from(source).toString('base64')}`
  ))
})
afterEach(() => vi.unstubAllGlobals())

type Work = (redis: Full) => Promise<unknown>

const WORKS: Record<string, Work> = {
  eval: (redis) => redis.eval('return ARGV[1]', ['k'], ['v']),
  evalsha: (redis) => redis.evalsha('ffff', ['k'], ['v']),
  get: (redis) => redis.get('k'),
  hset: (redis) => redis.hset('k', { a: 1, b: '2' }),
  ping: (redis) => redis.ping(),
  set: (redis) => redis.set('k', 'v', { ex: 5 }),
  multi: (redis) => redis.multi().hincrby('k', 'a', 2).hset('k', { b: 1 }).exec(),
}

/** The HTTP requests of a client, and its result. */
async function traceOf(Client: typeof Full, work: Work, status: number) {
  const requested: unknown[] = []
  vi.stubGlobal('fetch', async (url: string, { body, headers }: RequestInit) => {
    requested.push([String(url), body, headers])
    const one = status === 200 ? { result: '7' } : { error: 'ERR of Redis' }
    return Response.json(String(url).endsWith('multi-exec') ? [one, one] : one, { status })
  })
  const options = { url: 'https://redis.example', token: 't', enableTelemetry: false, retry: { retries: 0 } }
  const redis = new Client({ ...options, enableAutoPipelining: false })
  const outcome = await work(redis).catch((error: Error) => [error.name, error.message])
  return { requested, outcome }
}

it.each(Object.keys(WORKS))(
  '%s makes the same requests and returns the same results as the full client',
  async (name) => {
    const work = WORKS[name] as Work
    for (const status of [200, 400]) {
      const full = await traceOf(Full, work, status)
      expect(await traceOf(Reduced, work, status)).toEqual(full)
      expect(full.requested.length).toBeGreaterThan(0)
    }
  },
)

it('has only the commands that the Worker uses', () => {
  const redis = new Reduced({ url: 'https://redis.example', token: 't', enableAutoPipelining: false })
  expect(Object.keys(redis)).not.toContain('zadd')
  expect(Object.keys(new Full({ url: 'https://redis.example', token: 't' }))).toContain('zadd')
})
