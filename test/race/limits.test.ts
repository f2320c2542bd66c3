import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { unknownReg } from '../support/fill.ts'
import { type ApiResponse, freshIp, shared } from '../support/harness.ts'
import { remainingOf, roomInMinute, withinOneMinute } from '../support/minute.ts'
import { startProxy } from '../support/proxy.ts'

const h = shared()
vi.setConfig({ testTimeout: 400_000 }) // some wait for the next minute

const NO_NUMBER = '/agents/no-number' // counted as any public read, and asks nobody else
const LIMIT = 120
const EIGHTH = 15
const PROCESSES = 3

const parts = { redis: await startProxy(h.redis_rest_url), postgres: await startProxy(h.neon_sql_url) }
const workers: Awaited<ReturnType<typeof h.variant>>[] = []

beforeAll(async () => {
  const settings = {
    UPSTASH_REDIS_REST_URL: parts.redis.url,
    NEON_SQL_URL: parts.postgres.url,
  }
  for (let n = 0; n < PROCESSES; n++) workers.push(await h.variant(settings))
})
afterEach(() => {
  for (const part of Object.values(parts)) part.heal()
})
afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.stop()))
  await Promise.all(Object.values(parts).map((part) => part.stop()))
})

const passed = (responses: ApiResponse[]) => responses.filter(({ status }) => status !== 429).length
const read = (ip: string, n = 0) => workers[n % PROCESSES]?.api('GET', NO_NUMBER, { ip }) ?? Promise.reject()

/** Makes calls one after the other, and expects each to be one more. */
async function readInTurns(ip: string, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n++) {
    const response = await read(ip)
    expect([response.status, remainingOf(response)]).toEqual([400, LIMIT - n])
  }
}

/** What Redis is asked waits until it is let go, one call after the other. */
function holdRedis() {
  const held: (() => void)[] = []
  parts.redis.set({
    before: () => new Promise((resolve) => held.push(() => resolve(undefined))),
  })
  return {
    async letGo(): Promise<void> {
      await this.isRequested()
      held.shift()?.()
    },
    isRequested: () => expect.poll(() => held.length).toBeGreaterThan(0),
  }
}

/** A call whose caller hangs up when told to. */
function leave(path: string, headers: Record<string, string>) {
  const leaver = new AbortController()
  const call = fetch(`${workers[0]?.url}/api/v1${path}`, { headers, signal: leaver.signal })
  const left = call.then(() => 'answered').catch(() => 'left')
  return async () => {
    leaver.abort()
    expect(await left).toBe('left')
  }
}

describe('an isolate', () => {
  it.each([
    [EIGHTH - 1, 0],
    [60, 11],
  ])('asks Redis for %i reads of a caller at most %i times', async (reads, most) => {
    let before = 0
    const newCaller = () => {
      before = parts.redis.calls
      return freshIp()
    }
    await withinOneMinute(newCaller, reads, (ip) => read(ip), 'in turns')
    expect(parts.redis.calls - before).toBeLessThanOrEqual(most)
  })

  it('lets not one call more than the limit pass, of many at once', async () => {
    const { responses } = await withinOneMinute(freshIp, 2 * LIMIT, (ip) => read(ip))
    const admitted = responses.filter(({ status }) => status !== 429).map(remainingOf)
    expect(admitted.sort((a, b) => a - b)).toEqual(Array.from({ length: LIMIT }, (_, n) => n))
  })

  it('lets a key make as many calls as its limit, also when the limit is changed meanwhile', async () => {
    const { operator, reg } = await h.newReporter({ tier: 'pro' })
    const newKey = async (): Promise<{ key: string; id: string }> => {
      const key = await h.newKey(operator, ['read'])
      await h.sql('update api_keys set rate_limit_per_minute = 100 where id = $1', [key.id])
      return { key: key.key, id: key.id }
    }
    const call = ({ key }: { key: string }) =>
      workers[0]?.api('GET', `/verify/${reg}/full`, { token: key }) ?? Promise.reject()
    const { caller, responses } = await withinOneMinute(newKey, 150, call)
    expect(passed(responses)).toBe(100)
    await h.sql('update api_keys set rate_limit_per_minute = 200 where id = $1', [caller.id])
    expect(remainingOf(await call(caller))).toBe(49)
    await h.sql('update api_keys set rate_limit_per_minute = 40 where id = $1', [caller.id])
    expect((await call(caller)).status).toBe(429)
  })
})

it('three processes let at least the limit pass, and at most 1 + 3/8 times the limit', async () => {
  for (const order of ['at once', 'in turns'] as const) {
    const { responses } = await withinOneMinute(freshIp, 3 * LIMIT, read, order)
    expect(passed(responses), order).toBeGreaterThanOrEqual(LIMIT)
    expect(passed(responses), order).toBeLessThanOrEqual(LIMIT * (1 + PROCESSES / 8))
  }
})

describe('a call that waits for what Redis says to another one', () => {
  it('has its response when the caller of the other one hangs up', async () => {
    await roomInMinute()
    const ip = freshIp()
    await readInTurns(ip, 1, EIGHTH - 1)
    const redis = holdRedis()
    parts.postgres.set({ mode: 'silent' })
    const hangUp = leave(`/agents/${unknownReg()}`, { 'CF-Connecting-IP': ip })
    await redis.isRequested()
    const waiting = read(ip)
    await hangUp()
    await redis.letGo()
    await redis.letGo()
    const response = await waiting
    expect([response.status, remainingOf(response)]).toEqual([400, LIMIT - EIGHTH - 1])
  })

  it('has its response when the other one waited too, and its caller hangs up', async () => {
    const { operator, reg } = await h.newReporter()
    const { key: token } = await h.newKey(operator, ['read'])
    const path = `/verify/${reg}/full`
    await roomInMinute()
    const redis = holdRedis()
    const hangUp = leave(path, { Authorization: `Bearer ${token}` })
    await redis.isRequested()
    const waiting = workers[0]?.api('GET', path, { token })
    await hangUp()
    await redis.letGo()
    await redis.letGo()
    expect(await waiting).toMatchObject({ status: 200, body: { reg } })
  })
})
