import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { unknownReg } from '../support/fill.ts'
import { type ApiResponse, freshIp, shared } from '../support/harness.ts'
import { remainingOf, roomInMinute, withinOneMinute } from '../support/minute.ts'
import { startProxy } from '../support/proxy.ts'

const h = shared()
vi.setConfig({ testTimeout: 400_000 }) // some tests wait for the next minute

const NO_NUMBER = '/agents/no-number' // counted like any public read, and needs no other service than Redis
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

/** Makes calls one after the other, and expects each to be counted once. */
async function readInTurns(ip: string, from: number, to: number): Promise<void> {
  for (let n = from; n <= to; n++) {
    const response = await read(ip)
    expect([response.status, remainingOf(response)]).toEqual([400, LIMIT - n])
  }
}

/** Holds all requests to Redis; `letGo` releases the first one that waits. */
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

/** Starts a call; returns a function that aborts it and expects that it had no response. */
function startAbortable(path: string, headers: Record<string, string>) {
  const controller = new AbortController()
  const call = fetch(`${workers[0]?.url}/api/v1${path}`, { headers, signal: controller.signal })
  const outcome = call.then(() => 'responded').catch(() => 'aborted')
  return async () => {
    controller.abort()
    expect(await outcome).toBe('aborted')
  }
}

/** Functions that create keys with a limit of 100, and read with one of them. */
async function newLimitedKeys() {
  const { operator, reg } = await h.newReporter({ tier: 'pro' })
  const newKey = async (): Promise<{ key: string; id: string }> => {
    const key = await h.newKey(operator, ['read'])
    await h.sql('update api_keys set rate_limit_per_minute = 100 where id = $1', [key.id])
    return { key: key.key, id: key.id }
  }
  const call = ({ key }: { key: string }) =>
    workers[0]?.api('GET', `/verify/${reg}/full`, { token: key }) ?? Promise.reject()
  return { newKey, call }
}

describe('an isolate', () => {
  it.each([
    [EIGHTH - 1, 0],
    [60, 11],
  ])('sends Redis for %i reads of a caller at most %i requests', async (reads, most) => {
    let before = 0
    const newCaller = () => {
      before = parts.redis.calls
      return freshIp()
    }
    await withinOneMinute(newCaller, reads, (ip) => read(ip), 'in turns')
    expect(parts.redis.calls - before).toBeLessThanOrEqual(most)
  })

  it('passes exactly the limit of many concurrent calls', async () => {
    const { responses } = await withinOneMinute(freshIp, 2 * LIMIT, (ip) => read(ip))
    const admitted = responses.filter(({ status }) => status !== 429).map(remainingOf)
    expect(admitted.sort((a, b) => a - b)).toEqual(Array.from({ length: LIMIT }, (_, n) => n))
  })

  it('sends Redis few requests for reads with a key, whose limit it knows after the first one', async () => {
    const { newKey, call } = await newLimitedKeys()
    let before = 0
    const newCaller = async () => {
      const key = await newKey()
      before = parts.redis.calls
      return key
    }
    await withinOneMinute(newCaller, 12, call, 'in turns')
    expect(parts.redis.calls - before).toBeLessThan(6) // also of other work
  })

  it('passes exactly the limit of a key, and applies a changed limit at once', async () => {
    const { newKey, call } = await newLimitedKeys()
    const { caller, responses } = await withinOneMinute(newKey, 150, call)
    expect(passed(responses)).toBe(100)
    await h.sql('update api_keys set rate_limit_per_minute = 200 where id = $1', [caller.id])
    expect(remainingOf(await call(caller))).toBe(49)
    await h.sql('update api_keys set rate_limit_per_minute = 40 where id = $1', [caller.id])
    expect((await call(caller)).status).toBe(429)
  })
})

it('three processes pass at least the limit, and at most 1 + 3/8 times the limit', async () => {
  for (const order of ['at once', 'in turns'] as const) {
    const { responses } = await withinOneMinute(freshIp, 3 * LIMIT, read, order)
    expect(passed(responses), order).toBeGreaterThanOrEqual(LIMIT)
    expect(passed(responses), order).toBeLessThanOrEqual(LIMIT * (1 + PROCESSES / 8))
  }
})

describe('a call that waits for a batch sent by another call', () => {
  it('gets its response when the other call is aborted', async () => {
    await roomInMinute()
    const ip = freshIp()
    await readInTurns(ip, 1, EIGHTH - 1)
    const redis = holdRedis()
    parts.postgres.set({ mode: 'silent' })
    const hangUp = startAbortable(`/agents/${unknownReg()}`, { 'CF-Connecting-IP': ip })
    await redis.isRequested()
    const waiting = read(ip)
    await hangUp()
    await redis.letGo()
    await redis.letGo()
    const response = await waiting
    expect([response.status, remainingOf(response)]).toEqual([400, LIMIT - EIGHTH - 1])
  })

  it('gets its response when the other call is aborted while it waits too', async () => {
    const { operator, reg } = await h.newReporter()
    const { key: token } = await h.newKey(operator, ['read'])
    const path = `/verify/${reg}/full`
    await roomInMinute()
    const redis = holdRedis()
    const hangUp = startAbortable(path, { Authorization: `Bearer ${token}` })
    await redis.isRequested()
    const waiting = workers[0]?.api('GET', path, { token })
    await hangUp()
    await redis.letGo()
    await redis.letGo()
    expect(await waiting).toMatchObject({ status: 200, body: { reg } })
  })
})
