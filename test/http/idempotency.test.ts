import { describe, expect, it } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { QUOTAS } from '../../src/db/tiers.ts'
import { Stale } from '../../src/db/transaction.ts'
import { requirePrior } from '../../src/idempotency/store.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { DAY_MS, endOfDay, utcDay } from '../../src/lib/time.ts'
import { atOnce, WRITERS } from '../support/at-once.ts'
import { logOf, tirelessKey, tirelessReporter } from '../support/fill.ts'
import {
  type ApiResponse,
  type Body,
  type Call,
  expectError,
  type Operator,
  shared,
} from '../support/harness.ts'
import { expectWait } from '../support/quotas.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newPlatform, newReporter } = h
const db = connect(
  { DATABASE_URL: h.database_url, NEON_SQL_URL: h.neon_sql_url },
  new AbortController().signal,
)

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
  it('returns the first response to a repeated request, and rejects another body with the same key', async () => {
    const [caller, stranger] = await Promise.all([newCaller(path), newCaller(path)])
    const key = 'k'.repeat(255)
    for (const malformed of [`${key}k`, '']) {
      const rejected = await send(caller, path, body(caller), malformed)
      expectError(rejected, 400, 'VALIDATION_ERROR', /^idempotency-key: /i)
    }
    expectError(await send(caller, path, bad(caller), key), 400, 'VALIDATION_ERROR') // is not kept
    const first = await send(caller, path, body(caller), key)
    expect([first.status, isReplay(first)]).toEqual([201, null])
    // Whitespace around the value of a header is not part of it (RFC 9110, section 5.5).
    for (const same of [key, `${key} `]) {
      const again = await send(caller, path, body(caller), same)
      expect([again.status, isReplay(again), again.body]).toEqual([201, 'true', first.body])
    }
    for (const another of [other(caller), JSON.stringify(body(caller), null, 1)])
      expectError(await send(caller, path, another, key), 422, 'IDEMPOTENCY_MISMATCH', /^Idempotency-Key: /)
    expect(isReplay(await send(caller, path, body(caller), key.toUpperCase()))).toBeNull()
    expect(isReplay(await send(stranger, path, body(stranger), key))).toBeNull()
    expect([await countCreated(caller), await countCreated(stranger)]).toEqual([2, 1])
  })

  it('remembers a key for 24 hours', async () => {
    const caller = await newCaller(path)
    const start = Date.now()
    const sendAt = (ms: number, one = body) =>
      send(caller, path, one(caller), 'k', { now: new Date(start + ms) })
    const first = await sendAt(0)
    const held = await sendAt(DAY_MS - 60_000)
    expect([isReplay(held), held.body]).toEqual(['true', first.body])
    const renewed = await sendAt(DAY_MS + 60_000)
    expect([renewed.status, isReplay(renewed)]).toEqual([201, null])
    const later = await sendAt(2 * DAY_MS)
    expect([isReplay(later), later.body]).toEqual(['true', renewed.body])
    expect((await sendAt(4 * DAY_MS, other)).status).toBe(201)
    expect(isReplay(await sendAt(4 * DAY_MS + 1_000, other))).toBe('true')
    expect(await countCreated(caller)).toBe(3)
  })

  it('creates one record for twenty parallel requests with two bodies', async () => {
    const caller = await newCaller(path)
    const responses = await atOnce((n) => send(caller, path, n % 2 ? body(caller) : other(caller), 'rush'))
    const taken = responses.filter(({ status }) => status === 201)
    expect(taken).toHaveLength(WRITERS / 2)
    for (const response of taken) expect(response.body).toEqual(taken[0]?.body)
    expect(taken.filter((response) => isReplay(response) === 'true')).toHaveLength(WRITERS / 2 - 1)
    expect(responses.filter(({ status }) => status === 422)).toHaveLength(WRITERS / 2)
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

it('at the quota of stored bytes, rejects new requests with a key until the day ends, but replays old ones', async () => {
  const path = '/activity/report'
  const { operator, reg, key: token } = await newReporter()
  const caller = { operator, reg, token }
  const body = { reg, event_type: 'x' }
  const first = await send(caller, path, body, 'first')
  const now = new Date()
  await sql(
    `insert into idempotency_usage select $1, to_hex(n), $2, $3 from generate_series(0, 15) n
     on conflict (operator_id, share) do update set bytes = excluded.bytes`,
    [operator.id, utcDay(now), QUOTAS.free.idempotency_bytes_per_day / 16],
  )
  const rejected = await send(caller, path, body, 'second', { now })
  expectError(rejected, 429, 'RATE_LIMITED', /20,000,000 bytes .*Idempotency-Key .*00:00 UTC/)
  expectWait(rejected, Math.ceil((endOfDay(now).getTime() - now.getTime()) / 1000))
  expectError(await send(caller, `${path}/batch`, { events: [body] }, 'third'), 429, 'RATE_LIMITED')
  expect(await logOf(h, reg)).toHaveLength(1)
  const again = await send(caller, path, body, 'first')
  expect([again.status, isReplay(again), again.body]).toEqual([201, 'true', first.body])
  await sql(
    `update idempotency_keys set created_at = now() - interval '25 hours' where answer::text like $1`,
    [`%${reg}%`],
  )
  expectError(await send(caller, path, body, 'first', { now }), 429, 'RATE_LIMITED') // not a repeat any more
  expect((await api('POST', path, { token, body })).status).toBe(201)
  expect((await send(caller, path, body, 'second', { now: endOfDay(now) })).status).toBe(201)
  expect(await bytesOf(caller)).toBeLessThan(QUOTAS.free.idempotency_bytes_per_day)
  const tomorrow = utcDay(endOfDay(now))
  await sql('update idempotency_usage set day = $2, bytes = 0 where operator_id = $1', [
    operator.id,
    tomorrow,
  ])
  expect((await send(caller, path, body, 'behind', { now })).status).toBe(201)
  expect(
    await sql('select from idempotency_usage where operator_id = $1 and day < $2', [operator.id, tomorrow]),
  ).toEqual([])
})

it('replays what could not be done anew, and counts and notifies nothing again', async () => {
  const [operator, host] = [await newOperator(), await newOperator()]
  const platform = () => newPlatform(host, { webhook_url: 'http://127.0.0.1:9/hook' })
  const [retired, suspended] = [await platform(), await platform()]
  const caller = { operator, reg: '', token: operator.token }
  const register = (slug: string, key: string) =>
    send(caller, '/agents', { name: 'Once', class: 'A', platform_slug: slug }, key)
  const [first, second] = [await register(retired.slug, 'k'), await register(suspended.slug, 'l')]
  const { reg } = first.body
  const { key } = await h.newKey(operator)
  const report = (again: string) => send({ operator, reg, token: key }, '/activity/report', event, again)
  const event = { reg, event_type: 'x' }
  const reported = await report('k')
  await api('DELETE', `/platforms/${retired.slug}`, { token: host.token })
  await h.suspend(host)
  await api('PATCH', `/agents/${reg}`, { token: operator.token, body: { status: 'deactivated' } })

  expectError(await register(retired.slug, 'new'), 409, 'CONFLICT')
  expectError(await report('new'), 410, 'AGENT_DEACTIVATED')
  const again = [await register(retired.slug, 'k'), await register(suspended.slug, 'l'), await report('k')]
  expect(again.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(again.map(({ body }) => body)).toEqual([first, second, reported].map(({ body }) => body))
  const [{ active_agents }] = await sql('select active_agents from operators where id = $1', [operator.id])
  expect(active_agents).toBe(1)
  expect(await agentsOf(caller)).toHaveLength(2)
  const events = await sql(
    `select from webhook_events where type = 'agent.registered' and data->>'reg' = any ($1)`,
    [[reg, second.body.reg]],
  )
  expect(events).toHaveLength(2)
})

it('makes a request the first again whose stored response has just been deleted', async () => {
  const actor = { operator_id: uuidv7(new Date()), tier: 'free' } as const
  const repeatable = { actor, scope: actor.operator_id, body_sha256: '', now: new Date() }
  await expect(requirePrior(db, repeatable)).rejects.toThrow(Stale)
})

it('a request rejected at the agent limit can be repeated with the same key, once another agent is deactivated', async () => {
  const operator = await newOperator()
  const caller = { operator, reg: '', token: operator.token }
  const agents = [await newAgent(operator), await newAgent(operator), await newAgent(operator)]
  const body = { name: 'Fourth', class: 'A' }
  expectError(await send(caller, '/agents', body, 'k'), 402, 'AGENT_LIMIT_REACHED')
  await api('PATCH', `/agents/${agents[0].reg}`, { token: operator.token, body: { status: 'deactivated' } })
  expect((await send(caller, '/agents', body, 'k')).status).toBe(201)
  expectError(await send(caller, '/agents', body, 'l'), 402, 'AGENT_LIMIT_REACHED')
})
