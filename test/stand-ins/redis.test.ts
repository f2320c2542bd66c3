import { join } from 'node:path'
import { Ratelimit } from '@upstash/ratelimit'
import type { Redis } from '@upstash/redis/cloudflare'
import { Redis as Connection } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type LocalRedis, redisServerOnPath, startRedis } from '../../local/stand-ins/redis/index.ts'
import { recordedCalls } from '../../local/stand-ins/serve.ts'
import { parseEnv } from '../../src/env.ts'
import { connectRedis } from '../../src/services/redis.ts'
import { SETTINGS } from '../support/settings.ts'
import { testFolder } from '../support/test-folder.ts'

const servers = redisServerOnPath() ? (['server'] as const) : []
const engines = ['mock', ...servers] as const
console.log(`Redis engines under test: ${engines.join(', ')}`)

const dir = testFolder()
afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

const TIMEOUT_MS = 30_000 // a busy machine is slower than production

const env = parseEnv(SETTINGS)

const clientOf = ({ url, token }: LocalRedis): Redis =>
  connectRedis({ ...env, UPSTASH_REDIS_REST_URL: url, UPSTASH_REDIS_REST_TOKEN: token }, TIMEOUT_MS)

function limiterOf(redis: Redis, limiter = Ratelimit.fixedWindow(1e9, '60 s')): Ratelimit {
  return new Ratelimit({ redis, limiter, ephemeralCache: false, analytics: false, timeout: 0 })
}

async function pathsCalled(work: () => Promise<unknown>): Promise<string[]> {
  const before = recordedCalls().length
  await work()
  return recordedCalls()
    .slice(before)
    .map((call) => call.path)
}

describe.each(engines)('the Upstash protocol on %s', (engine) => {
  const data = testFolder()
  let local: LocalRedis
  let redis: Redis

  beforeAll(async () => {
    local = await startRedis({ dir: data, engine })
    redis = clientOf(local)
  })
  afterAll(() => local.stop())
  beforeEach(() => redis.flushdb())

  it('takes two requests for the first limit() and one for each later one', async () => {
    const limiter = limiterOf(redis)
    expect(await pathsCalled(() => limiter.limit('a'))).toEqual(['/', '/'])
    expect(await pathsCalled(() => limiter.limit('a'))).toEqual(['/'])
    expect(await pathsCalled(() => limiterOf(clientOf(local)).limit('b'))).toEqual(['/'])
  })

  it.each(['', 'OK', 'Zürich 🦊', '\u0000\u007f\r\n"\\'])('returns %j unchanged', async (text) => {
    await redis.set('k', text)
    expect(await redis.get('k')).toBe(text)
  })

  it('runs a transaction without other commands in between', async () => {
    const transactions = Array.from({ length: 25 }, () => redis.multi().incr('n').get('n').incr('n').exec())
    for (const [first, read, second] of await Promise.all(transactions)) {
      expect([read, second]).toEqual([first, Number(first) + 1])
    }
    expect(await redis.get('n')).toBe(50)
  })

  it('counts 100 concurrent calls exactly', async () => {
    vi.setSystemTime('2026-01-01T00:00:10Z')
    const limiters = [limiterOf(redis), limiterOf(clientOf(local))]
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, i) => (limiters[i % 2] ?? limiterOf(redis)).limit('caller')),
    )
    const used = results.map(({ limit, remaining }) => limit - remaining).sort((a, b) => a - b)
    expect(used).toEqual(Array.from({ length: 100 }, (_, i) => i + 1))
    expect(results[0]).toMatchObject({ success: true, limit: 1e9, reset: Date.parse('2026-01-01T00:01:00Z') })
    expect(await redis.pttl(`@upstash/ratelimit:caller:${Math.floor(Date.now() / 60_000)}`)).toBeGreaterThan(
      30_000,
    )
  })
})

it('is embedded without redis-server, with a line that names it', async () => {
  vi.stubEnv('REDIS_URL', '')
  vi.stubEnv('PATH', '')
  const say = vi.fn()
  const local = await startRedis({ dir, say })
  expect(local.engine).toBe('mock')
  expect(say).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('redis-server'))
  await local.stop()
})

describe.each(servers)('the lifecycle of redis-%s', (engine) => {
  it('keeps its counters over a restart', async () => {
    const first = await startRedis({ dir, engine })
    await clientOf(first).hincrby('usage', 'key', 7)
    await first.stop()
    const second = await startRedis({ dir, engine })
    expect(await clientOf(second).hget('usage', 'key')).toBe(7)
    await second.stop()
  })

  it('responds with 503 after the server has ended, and reports it', async () => {
    const local = await startRedis({ dir, engine })
    const server = new Connection(join(dir, 'redis.sock'), { retryStrategy: () => null })
    await server.shutdown('NOSAVE').catch(() => {})
    const init = { method: 'POST', headers: { Authorization: `Bearer ${local.token}` } }
    const single = await fetch(local.url, { ...init, body: '["PING"]' })
    expect(single.status).toBe(503)
    expect(await single.json()).toEqual({ error: expect.any(String) })
    await expect(limiterOf(clientOf(local)).limit('a')).rejects.toThrow('ERR')
    expect(await local.lost).toMatch(/^redis-server exited \(exit code 0\): see .*redis\.log$/)
    await local.stop()
  })
})
