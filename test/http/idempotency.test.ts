import { describe, expect, it } from 'vitest'
import { QUOTAS } from '../../src/db/tiers.ts'
import { DAY_MS, endOfDay, utcDay } from '../../src/lib/time.ts'
import { logOf, tirelessKey, tirelessReporter } from '../support/fill.ts'
import {
  type ApiResponse,
  type Body,
  type Call,
  expectError,
  type Operator,
  shared,
} from '../support/harness.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newPlatform, newReporter } = h

const PARALLEL = 20

interface Caller {
  operator: Operator
  reg: string
  token: string
}

const agentsOf = ({ operator }: Caller): Promise<Body[]> =>
  sql('select id, name from agents where operator_id = $1 order by id', [operator.id])

/** The routes that support Idempotency-Key: valid, different and invalid bodies, and the number of records created. */
const ROUTES = [
  {
    path: '/agents',
    body: (_: Caller) => ({ name: 'Once', class: 'A' }),
    other: (_: Caller) => ({ name: 'Other', class: 'A' }),
    bad: (_: Caller) => ({ name: 'Once' }),
    countCreated: async (caller: Caller) => (await agentsOf(caller)).length - 1,
  },
  {
    path: '/activity/report',
    body: ({ reg }: Caller) => ({ reg, event_type: 'incident', metadata: { n: 1, text: 'é' } }),
    other: ({ reg }: Caller) => ({ reg, event_type: 'incident', metadata: { n: 2, text: 'é' } }),
    bad: ({ reg }: Caller) => ({ reg }),
    countCreated: async ({ reg }: Caller) => (await logOf(h, reg)).length,
  },
  {
    path: '/activity/report/batch',
    body: ({ reg }: Caller) => ({ events: [{ reg, event_type: 'incident' }] }),
    other: ({ reg }: Caller) => ({ events: [{ reg, event_type: 'startup' }] }),
    bad: (_: Caller) => ({ events: [] }),
    countCreated: async ({ reg }: Caller) => (await logOf(h, reg)).length,
  },
]

async function newCaller(path: string): Promise<Caller> {
  const { operator, reg, key } = await tirelessReporter(h)
  await sql('update operators set agent_limit = 50 where id = $1', [operator.id])
  return { operator, reg, token: path === '/agents' ? operator.token : key }
}

const send = ({ token }: Caller, path: string, body: unknown, key: string, call: Call = {}) =>
  api('POST', path, { token, body, headers: { 'Idempotency-Key': key }, ...call })

/** The bytes of responses that are stored of this operator, all of one day. */
async function bytesOf({ operator }: Pick<Caller, 'operator'>): Promise<number> {
  const [{ bytes }] = await sql(
    'select coalesce(sum(bytes), 0)::integer as bytes from idempotency_usage where operator_id = $1',
    [operator.id],
  )
  return bytes
}

const isReplay = ({ headers }: ApiResponse) => headers.get('idempotency-replayed')

describe.each(ROUTES)('POST $path', ({ path, body, other, bad, countCreated }) => {
  it('returns the first response to a repeated request, and creates nothing again', async () => {
    const caller = await newCaller(path)
    const first = await send(caller, path, body(caller), 'order-4711')
    expect(first.status).toBe(201)
    expect(isReplay(first)).toBeNull()
    for (const _ of [1, 2]) {
      const again = await send(caller, path, body(caller), 'order-4711')
      expect(again.status).toBe(201)
      expect(again.body).toEqual(first.body)
      expect(isReplay(again)).toBe('true')
    }
    expect(await countCreated(caller)).toBe(1)
  })

  it('rejects another body with the same key', async () => {
    const caller = await newCaller(path)
    const first = await send(caller, path, body(caller), 'k')
    const mismatch = /^Idempotency-Key: /
    expectError(await send(caller, path, other(caller), 'k'), 422, 'IDEMPOTENCY_MISMATCH', mismatch)
    const spaced = JSON.stringify(body(caller), null, 1)
    expectError(await send(caller, path, spaced, 'k'), 422, 'IDEMPOTENCY_MISMATCH', mismatch)
    expect((await send(caller, path, body(caller), 'k')).body).toEqual(first.body)
    expect(await countCreated(caller)).toBe(1)
  })

  it('remembers a key for 24 hours', async () => {
    const caller = await newCaller(path)
    const start = new Date()
    const at = (ms: number) => ({ now: new Date(start.getTime() + ms) })
    const first = await send(caller, path, body(caller), 'k', at(0))
    const held = await send(caller, path, body(caller), 'k', at(DAY_MS - 60_000))
    expect([isReplay(held), held.body]).toEqual(['true', first.body])
    const renewed = await send(caller, path, body(caller), 'k', at(DAY_MS + 60_000))
    expect([renewed.status, isReplay(renewed)]).toEqual([201, null])
    expect(renewed.body).not.toEqual(first.body)
    expect(await countCreated(caller)).toBe(2)
    const later = await send(caller, path, body(caller), 'k', at(2 * DAY_MS))
    expect([isReplay(later), later.body]).toEqual(['true', renewed.body])
    expect((await send(caller, path, other(caller), 'k', at(4 * DAY_MS))).status).toBe(201)
  })

  it('distinguishes operators and keys', async () => {
    const [one, two] = await Promise.all([newCaller(path), newCaller(path)])
    const responses = [
      await send(one, path, body(one), 'k'),
      await send(two, path, body(two), 'k'),
      await send(one, path, body(one), 'K'),
      await send(one, path, body(one), 'k '),
    ]
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    // Whitespace around the value of a header is not part of it (RFC 9110, section 5.5).
    expect(responses.map(isReplay)).toEqual([null, null, null, 'true'])
    expect([await countCreated(one), await countCreated(two)]).toEqual([2, 1])
  })

  it('accepts a key of 255 characters, and rejects one of 256 or an empty one, without replaying errors', async () => {
    const caller = await newCaller(path)
    const longest = 'k'.repeat(255)
    for (const key of [`${longest}k`, '']) {
      const rejected = await send(caller, path, body(caller), key)
      expectError(rejected, 400, 'VALIDATION_ERROR', /^idempotency-key: /i)
    }
    expectError(await send(caller, path, bad(caller), longest), 400, 'VALIDATION_ERROR')
    const first = await send(caller, path, body(caller), longest)
    expect([first.status, isReplay(first), await countCreated(caller)]).toEqual([201, null, 1])
  })

  it('creates one record for twenty parallel requests, which all return the same response', async () => {
    const caller = await newCaller(path)
    const responses = await Promise.all(
      Array.from({ length: PARALLEL }, () => send(caller, path, body(caller), 'rush')),
    )
    expect(responses.map(({ status }) => status)).toEqual(Array(PARALLEL).fill(201))
    for (const response of responses) expect(response.body).toEqual(responses[0]?.body)
    expect(responses.filter((response) => isReplay(response) === 'true')).toHaveLength(PARALLEL - 1)
    expect(await countCreated(caller)).toBe(1)
  })

  it('accepts one of two bodies that are sent in parallel', async () => {
    const caller = await newCaller(path)
    const responses = await Promise.all(
      Array.from({ length: PARALLEL }, (_, n) =>
        send(caller, path, n % 2 ? body(caller) : other(caller), 'rush'),
      ),
    )
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(PARALLEL / 2).fill(201), ...Array(PARALLEL / 2).fill(422)])
    expect(await countCreated(caller)).toBe(1)
  })
})

it('a key belongs to the operator and the path, not to the API key', async () => {
  const caller = await newCaller('/activity/report')
  const second = { ...caller, token: await tirelessKey(h, caller.operator, ['write']) }
  const body = { reg: caller.reg, event_type: 'x' }
  const first = await send(caller, '/activity/report', body, 'k')
  const again = await send(second, '/activity/report', body, 'k')
  expect([isReplay(again), again.body]).toEqual(['true', first.body])
  const other = await send(caller, '/activity/report/batch', { events: [body] }, 'k')
  expect([other.status, isReplay(other)]).toEqual([201, null])
  expect(await logOf(h, caller.reg)).toHaveLength(2)
})

it('replays a batch with rejected events with status 207', async () => {
  const caller = await newCaller('/activity/report/batch')
  const { reg } = caller
  const body = { events: [{ reg, event_type: 'x' }, {}, { reg, event_type: 'incident' }] }
  const first = await send(caller, '/activity/report/batch', body, 'k')
  expect(first.status).toBe(207)
  const again = await send(caller, '/activity/report/batch', body, 'k')
  expect([again.status, isReplay(again), again.body]).toEqual([207, 'true', first.body])
  expect(await logOf(h, reg)).toHaveLength(2)
})

it('judges a batch again of which nothing was stored, and keeps nothing of it', async () => {
  const { operator, agent, reg, key } = await newReporter()
  const caller = { operator, reg, token: key }
  const now = new Date()
  await sql('update agent_stats set reported_day = $2, own_events = $3 where agent_id = $1', [
    agent.id,
    utcDay(now),
    QUOTAS.free.events_per_day,
  ])
  const body = { events: [{ reg, event_type: 'x' }, {}] }
  const first = await send(caller, '/activity/report/batch', body, 'k', { now })
  expect([first.status, first.body.accepted, await bytesOf(caller)]).toEqual([207, 0, 0])
  const tomorrow = { now: endOfDay(now) }
  const second = await send(caller, '/activity/report/batch', body, 'k', tomorrow)
  expect([second.status, second.body.accepted, isReplay(second)]).toEqual([207, 1, null])
  const third = await send(caller, '/activity/report/batch', body, 'k', tomorrow)
  expect([third.body, isReplay(third)]).toEqual([second.body, 'true'])
})

it('keeps only what a thousand results have in common, and why events were rejected', async () => {
  const caller = await newCaller('/activity/report/batch')
  const foreign = await newAgent(await newOperator())
  const stored = Array.from({ length: 1_000 }, (_, n) => ({ reg: caller.reg, event_type: `type-${n}` }))
  const rejected = stored.map((event) => ({ ...event, reg: foreign.reg }))
  for (const [events, most] of [
    [stored, 500],
    [[...stored.slice(0, 1), ...rejected.slice(0, 499), ...Array(500).fill({})], 20_000],
  ] as const) {
    const before = await bytesOf(caller)
    const first = await send(caller, '/activity/report/batch', { events }, `k${most}`)
    expect(first.body.accepted).toBeGreaterThan(0)
    const kept = (await bytesOf(caller)) - before
    expect(kept).toBeGreaterThan(0)
    expect(kept).toBeLessThan(most)
    const again = await send(caller, '/activity/report/batch', { events }, `k${most}`)
    expect([again.body, isReplay(again)]).toEqual([first.body, 'true'])
  }
})

describe('at the quota of stored bytes', () => {
  const path = '/activity/report'

  async function fullCaller() {
    const { operator, reg, key } = await newReporter()
    const caller = { operator, reg, token: key }
    const first = await send(caller, path, { reg, event_type: 'x' }, 'first')
    await sql(
      `insert into idempotency_usage select $1, to_hex(n), $2, $3 from generate_series(0, 15) n
       on conflict (operator_id, share) do update set bytes = excluded.bytes`,
      [operator.id, utcDay(new Date()), QUOTAS.free.idempotency_bytes_per_day / 16],
    )
    return { ...caller, first }
  }

  it('rejects new requests with a key until the day ends, before anything is written', async () => {
    const { first, ...caller } = await fullCaller()
    const { reg } = caller
    const now = new Date()
    const rejected = await send(caller, path, { reg, event_type: 'incident' }, 'second', { now })
    expectError(rejected, 429, 'RATE_LIMITED', /20,000,000 bytes .*Idempotency-Key .*00:00 UTC/)
    const left = (endOfDay(now).getTime() - now.getTime()) / 1000
    expect(Number(rejected.headers.get('retry-after'))).toBeCloseTo(left, -1)
    const one = { events: [{ reg, event_type: 'x' }] }
    expectError(await send(caller, '/activity/report/batch', one, 'third'), 429, 'RATE_LIMITED')
    expect(await logOf(h, reg)).toHaveLength(1)
    const tomorrow = { now: endOfDay(now) }
    expect((await send(caller, path, { reg, event_type: 'x' }, 'second', tomorrow)).status).toBe(201)
    expect(await bytesOf(caller)).toBeLessThan(QUOTAS.free.idempotency_bytes_per_day)
  })

  it('still replays, and stores requests without a key', async () => {
    const { first, ...caller } = await fullCaller()
    const { reg, token } = caller
    const again = await send(caller, path, { reg, event_type: 'x' }, 'first')
    expect([again.status, isReplay(again), again.body]).toEqual([201, 'true', first.body])
    expect((await api('POST', path, { token, body: { reg, event_type: 'x' } })).status).toBe(201)
  })
})

it('replays a report for an agent that was deactivated since', async () => {
  const caller = await newCaller('/activity/report')
  const body = { reg: caller.reg, event_type: 'x' }
  const first = await send(caller, '/activity/report', body, 'k')
  const { operator, reg } = caller
  await api('PATCH', `/agents/${reg}`, { token: operator.token, body: { status: 'deactivated' } })
  const again = await send(caller, '/activity/report', body, 'k')
  expect([again.status, again.body]).toEqual([201, first.body])
  expectError(await send(caller, '/activity/report', body, 'new'), 410, 'AGENT_DEACTIVATED')
})

it('replays a registration on a platform that has closed since', async () => {
  const operator = await newOperator()
  const host = await newOperator()
  const caller = { operator, reg: '', token: operator.token }
  const [retired, suspended] = [await newPlatform(host), await newPlatform(host)]
  const register = (slug: string, key: string) =>
    send(caller, '/agents', { name: 'Once', class: 'A', platform_slug: slug }, key)
  const [first, second] = [await register(retired.slug, 'k'), await register(suspended.slug, 'l')]
  await api('DELETE', `/platforms/${retired.slug}`, { token: host.token })
  const again = await register(retired.slug, 'k')
  expect([again.status, again.body]).toEqual([201, first.body])
  expectError(await register(retired.slug, 'new'), 409, 'CONFLICT')
  await h.suspend(host)
  expect((await register(suspended.slug, 'l')).body).toEqual(second.body)
  expect(await agentsOf(caller)).toHaveLength(2)
})

it('a replay neither counts toward the agent limit nor notifies the platform again', async () => {
  const operator = await newOperator()
  const { slug } = await newPlatform(operator, { webhook_url: 'http://127.0.0.1:9/hook' })
  const caller = { operator, reg: '', token: operator.token }
  const body = { name: 'Once', class: 'A', platform_slug: slug }
  await Promise.all(Array.from({ length: PARALLEL }, () => send(caller, '/agents', body, 'k')))
  const [{ active_agents }] = await sql('select active_agents from operators where id = $1', [operator.id])
  expect(active_agents).toBe(1)
  const events = await sql(
    `select e.type from webhook_events e join webhook_deliveries d on d.event_id = e.id
     join platforms p on p.id = d.platform_id where p.slug = $1`,
    [slug],
  )
  expect(events).toEqual([{ type: 'agent.registered' }])
})

it('a request rejected at the agent limit can be repeated with the same key', async () => {
  const operator = await newOperator()
  const caller = { operator, reg: '', token: operator.token }
  const agents = [await newAgent(operator), await newAgent(operator), await newAgent(operator)]
  const body = { name: 'Fourth', class: 'A' }
  expectError(await send(caller, '/agents', body, 'k'), 402, 'AGENT_LIMIT_REACHED')
  await api('PATCH', `/agents/${agents[0].reg}`, { token: operator.token, body: { status: 'deactivated' } })
  expect((await send(caller, '/agents', body, 'k')).status).toBe(201)
})
