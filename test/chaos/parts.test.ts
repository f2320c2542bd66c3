import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { logOf } from '../support/fill.ts'
import { type ApiResponse, expectError, freshEmail, freshIp, freshSlug, shared } from '../support/harness.ts'
import { remainingOf } from '../support/minute.ts'
import { SOON } from '../support/patience.ts'
import { type StartedProxy, startProxy } from '../support/proxy.ts'

const IN_TIME_MS = 30_000 // longer than all deadlines; a silent part never responds
const REDIS_TIMEOUT_MS = 1_000
const REQUEST_DEADLINE_MS = '5000'

const h = shared()
const parts = {
  postgres: await startProxy(h.neon_sql_url),
  redis: await startProxy(h.redis_rest_url),
  qstash: await startProxy(h.qstash_url),
  identity: await startProxy(h.identity_url),
}
let worker: Awaited<ReturnType<typeof h.variant>>

beforeAll(async () => {
  worker = await h.variant({
    NEON_SQL_URL: parts.postgres.url,
    UPSTASH_REDIS_REST_URL: parts.redis.url,
    REDIS_TIMEOUT_MS: String(REDIS_TIMEOUT_MS),
    REQUEST_DEADLINE_MS, // as in production
    QSTASH_URL: parts.qstash.url,
    OIDC_ISSUER: parts.identity.url,
  })
})
afterEach(() => {
  for (const part of Object.values(parts)) part.heal()
})
afterAll(async () => {
  await worker.stop()
  await Promise.all(Object.values(parts).map((part) => part.stop()))
})

/** Lets Postgres execute the statements that contain these words, and drops the responses. */
function loseResponseOf(words: string): void {
  parts.postgres.set({ after: ({ body }) => (body.includes(words) ? 'cut' : undefined) })
}

/** A response that arrives within a deadline of the Worker. */
async function inTime(work: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const began = performance.now()
  const response = await work()
  expect(performance.now() - began).toBeLessThan(IN_TIME_MS)
  return response
}

function expectUncounted(response: ApiResponse, limit: number): void {
  const reset = Number(response.headers.get('x-ratelimit-reset'))
  expect(response.headers.get('x-ratelimit-limit')).toBe(String(limit))
  expect(remainingOf(response)).toBe(limit)
  expect(Math.abs(reset - Date.now() / 1000 - 60)).toBeLessThan(10)
}

/** Expects the first call of a caller, which the isolate counts itself. */
function expectFirst(response: ApiResponse, limit: number): void {
  expect(response.headers.get('x-ratelimit-limit')).toBe(String(limit))
  expect(remainingOf(response)).toBe(limit - 1)
}

describe.each(['cut', 'silent', 'error', 'garbage'] as const)('the service while Redis is %s', (mode) => {
  it('serves public reads with all headers', async () => {
    const { reg } = await h.newReporter()
    parts.redis.set({ mode })
    const response = await inTime(() => worker.api('GET', `/agents/${reg}`))
    expect(response.body).toMatchObject({ reg })
    expectFirst(response, 120)
    const keys = await inTime(() => worker.api('GET', '//.well-known/jwks.json'))
    expect(keys.body).toEqual({ keys: [expect.any(Object)] })
    expectFirst(keys, 600)
  })

  it('serves sessions and keys', async () => {
    const { operator, key, reg } = await h.newReporter()
    parts.redis.set({ mode })
    const me = await worker.api('GET', '/operators/me', { token: operator.token })
    expect(me.status).toBe(200)
    expectFirst(me, 120)
    const reported = await worker.api('POST', '/activity/report', {
      token: key,
      body: { reg, event_type: 'startup' },
    })
    expect(reported.status).toBe(201)
    expectUncounted(reported, 60)
    const checks = await worker.api('GET', '/operators/me/kyc', { token: operator.token })
    expect(checks.status).toBe(200)
    expectUncounted(checks, 30)
  })

  it('serves a caller that is at its limit, and counts it again afterward', async () => {
    const ip = freshIp()
    const read = (calls: number) =>
      Promise.all(Array.from({ length: calls }, () => worker.api('GET', '/agents/no-number', { ip })))
    await read(30)
    parts.redis.set({ mode })
    const without = await read(130)
    expect(new Set(without.map(({ status }) => status))).toEqual(new Set([400]))
    expect(without.map(remainingOf)).toContain(120) // not counted
    parts.redis.heal()
    await expect.poll(async () => (await read(20)).map(({ status }) => status), SOON).toContain(429)
  })

  it('rejects requests for keys, which must be counted', async () => {
    const { token, id } = await h.newOperator()
    parts.redis.set({ mode })
    const response = await worker.api('POST', '/operators/me/api-keys', { token, body: { name: 'k' } })
    expectError(response, 503, 'SERVICE_UNAVAILABLE')
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expectUncounted(response, 10)
    expect(await h.sql('select 1 from api_keys where operator_id = $1', [id])).toEqual([])
  })
})

describe.each(['cut', 'silent', 'error', 'garbage'] as const)(
  'the service while the database is %s',
  (mode) => {
    it('responds with 503 and Retry-After in time, to reads and to writes', async () => {
      const { operator, key, reg } = await h.newReporter()
      const { token } = operator
      parts.postgres.set({ mode })
      const responses = await Promise.all([
        inTime(() => worker.api('GET', `/agents/${reg}`)),
        inTime(() => worker.api('GET', `/agents/${reg}/trust-score`)),
        inTime(() => worker.api('GET', '/operators/me', { token })),
        inTime(() => worker.api('POST', '/agents', { token, body: { name: 'a', class: 'A' } })),
        inTime(() => worker.api('POST', '/activity/report', { token: key, body: { reg, event_type: 'x' } })),
        inTime(() => worker.api('POST', '/platforms', { token, body: { slug: freshSlug(), name: 'p' } })),
      ])
      for (const response of responses) {
        expectError(response, 503, 'SERVICE_UNAVAILABLE', /; try again shortly$/)
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(response.headers.get('x-ratelimit-limit')).toMatch(/^(60|120)$/)
      }
      parts.postgres.heal()
      expect((await worker.api('GET', `/agents/${reg}`)).status).toBe(200)
      const [stored] = await h.sql(
        `select active_agents, (select events::integer from agent_stats s join agents a on a.id = s.agent_id where reg = $2) as events
       from operators where id = $1`,
        [operator.id, reg],
      )
      expect(stored).toEqual({ active_agents: 1, events: 0 })
    })
  },
)

it('responds with 503 when a response of the database is interrupted', async () => {
  const { operator, reg } = await h.newReporter()
  parts.postgres.set({ halved: 1 })
  expectError(await worker.api('GET', `/agents/${reg}`), 503, 'SERVICE_UNAVAILABLE')
  expectError(await worker.api('GET', '/operators/me', { token: operator.token }), 503, 'SERVICE_UNAVAILABLE')
})

describe('the 503 after a lost response of the database to a write', () => {
  it('states that a repeat with the same Idempotency-Key is safe, which it is', async () => {
    const { key, reg } = await h.newReporter()
    const body = { reg, event_type: 'startup' }
    const report = () =>
      worker.api('POST', '/activity/report', { token: key, body, headers: { 'Idempotency-Key': 'k' } })
    loseResponseOf('append_events(')
    expectError(await report(), 503, 'SERVICE_UNAVAILABLE', /may have taken effect.*same Idempotency-Key/)
    parts.postgres.heal()
    const repeated = await report()
    expect([repeated.status, repeated.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
    expect((await logOf(h, reg)).map(({ id }) => id)).toEqual([repeated.body.id])
  })

  it('states that a write without a key may have taken effect', async () => {
    const { operator, reg } = await h.newReporter()
    loseResponseOf('update \\"agents\\"')
    const call = { token: operator.token, body: { name: 'New' } }
    const response = await worker.api('PATCH', `/agents/${reg}`, call)
    expectError(response, 503, 'SERVICE_UNAVAILABLE', /may have taken effect: check before you repeat/)
    parts.postgres.heal()
    expect((await worker.api('GET', `/agents/${reg}`)).body.name).toBe('New')
  })

  it('does not state that of a read', async () => {
    const { token } = await h.newOperator()
    loseResponseOf('from \\"audit_log\\"')
    const response = await worker.api('GET', '/operators/me/audit-log', { token })
    expectError(response, 503, 'SERVICE_UNAVAILABLE', /; try again shortly$/)
  })
})

it('keeps rejecting an address over its limit while the database is down', async () => {
  const ip = freshIp()
  parts.postgres.set({ mode: 'cut' })
  const statuses: number[] = []
  while (!statuses.includes(429) && statuses.length < 400) {
    const calls = Array.from({ length: 10 }, () => worker.api('GET', '/agents/REG-1999-0001-0042-4', { ip }))
    statuses.push(...(await Promise.all(calls)).map(({ status }) => status))
  }
  expect(new Set(statuses)).toEqual(new Set([503, 429]))
})

describe('/ready', () => {
  const UP = { status: 'ok', postgres: 'ok', redis: 'ok', qstash: 'ok' }
  let taps: StartedProxy[]
  let watched: Awaited<ReturnType<typeof h.variant>>
  let hours = 0
  /** A time at which nothing cached is fresh. */
  const nextTime = () => {
    hours += 1
    return new Date(Date.now() + hours * 3_600_000)
  }
  const ask = (at = nextTime(), from = worker) => from.api('GET', '//ready', { now: at })

  beforeAll(async () => {
    const urls = [h.neon_sql_url, h.redis_rest_url, h.qstash_url]
    taps = await Promise.all(urls.map((url) => startProxy(url)))
    const [postgres = '', redis = '', qstash = ''] = taps.map(({ url }) => url)
    watched = await h.variant({ NEON_SQL_URL: postgres, UPSTASH_REDIS_REST_URL: redis, QSTASH_URL: qstash })
  })
  afterAll(async () => {
    await watched.stop()
    await Promise.all(taps.map((tap) => tap.stop()))
  })

  it.each([
    ['postgres', 'down', 503],
    ['redis', 'degraded', 200],
    ['qstash', 'degraded', 200],
  ] as const)(
    'reports that %s is down for every kind of failure, and when it is back',
    async (part, status, code) => {
      for (const mode of ['cut', 'silent', 'error', 'garbage'] as const) {
        parts[part].set({ mode })
        // Polled, because on a busy machine another part may be late once.
        await expect
          .poll(() => inTime(() => ask()), SOON)
          .toMatchObject({ status: code, body: { ...UP, status, [part]: 'down' } })
        expect((await worker.api('GET', '//health')).status).toBe(200)
      }
      parts[part].heal()
      await expect.poll(() => ask(), SOON).toMatchObject({ status: 200, body: UP })
    },
  )

  it('reports that all parts are down', async () => {
    for (const part of ['postgres', 'redis', 'qstash'] as const) parts[part].set({ mode: 'cut' })
    expect(await ask()).toMatchObject({
      status: 503,
      body: { status: 'down', postgres: 'down', redis: 'down', qstash: 'down', jobs: {} },
    })
  })

  it('checks once for concurrent requests, and again after five seconds', async () => {
    const began = nextTime().getTime()
    for (const [at, expected] of [
      [began, 1],
      [began + 4_000, 1],
      [began + 6_000, 2],
    ] as const) {
      const responses = await Promise.all(Array.from({ length: 40 }, () => ask(new Date(at), watched)))
      for (const response of responses) expect(response).toMatchObject({ status: 200, body: UP })
      expect(taps.map(({ calls }) => calls)).toEqual([expected, expected, expected])
    }
  })

  it('responds to waiting callers when the caller that started the check aborts', async () => {
    parts.redis.set({ mode: 'silent' })
    const at = nextTime()
    const headers = { 'X-Test-Now': at.toISOString() }
    const controller = new AbortController()
    const aborted = fetch(`${worker.url}/ready`, { headers, signal: controller.signal }).catch(
      () => 'aborted',
    )
    await expect.poll(() => parts.redis.held).toBeGreaterThan(0)
    const waiting = Array.from({ length: 10 }, () => inTime(() => ask(at)))
    controller.abort()
    expect(await aborted).toBe('aborted')
    for (const response of await Promise.all(waiting)) {
      expect(response).toMatchObject({ status: 200, body: { ...UP, status: 'degraded', redis: 'down' } })
    }
  })
})

it('registers an agent while QStash is down, and keeps its webhook in the outbox', async () => {
  const operator = await h.newOperator()
  const platform = await h.newPlatform(operator, { webhook_url: 'http://127.0.0.1:9/never' })
  parts.qstash.set({ mode: 'cut' })
  const body = { name: 'a', class: 'A', platform_slug: platform.slug }
  const response = await inTime(() => worker.api('POST', '/agents', { token: operator.token, body }))
  expect(response.status).toBe(201)
  const [delivery] = await h.sql(
    `select d.status, d.published_at from webhook_deliveries d join platforms p on p.id = d.platform_id where slug = $1`,
    [platform.slug],
  )
  expect(delivery).toEqual({ status: 'pending', published_at: null })
})

it.each(['cut', 'silent'] as const)(
  'responds with 503 to a sign-in while the identity provider is %s',
  async (mode) => {
    parts.identity.set({ mode })
    const response = await inTime(() => worker.api('GET', `/auth/sign-in?email=${freshEmail()}`))
    expectError(response, 503, 'SERVICE_UNAVAILABLE', /identity provider/)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  },
)
