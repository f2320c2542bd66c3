import { expect, it, vi } from 'vitest'
import { expectHeaders, expectRejection } from '../support/contract.ts'
import { base62, credentialsKeys, withCheck, withWrongEnd } from '../support/credentials.ts'
import { unknownReg } from '../support/fill.ts'
import { type ApiResponse, expectError, freshIp, shared } from '../support/harness.ts'
import { remainingOf, withinOneMinute } from '../support/minute.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newKey, newReporter } = h
vi.setConfig({ testTimeout: 400_000 }) // some wait for the next minute

const UNKNOWN = '/agents/REG-1999-0001-0042-4'

const rejected = (responses: ApiResponse[]) => responses.filter(({ status }) => status === 429)

function expectLimited(response: ApiResponse, limit: number): void {
  expectRejection(response, 429, 'RATE_LIMITED', new RegExp(`${limit} requests per minute`))
  expect(response.headers.get('x-ratelimit-limit')).toBe(String(limit))
  expect(response.headers.get('x-ratelimit-remaining')).toBe('0')
  const seconds = Number(response.headers.get('retry-after'))
  const rest = Number(response.headers.get('x-ratelimit-reset')) - Date.now() / 1000
  expect(Number.isInteger(seconds)).toBe(true)
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(seconds).toBeGreaterThanOrEqual(Math.floor(rest)) // less is left by now than when it was said
  expect(seconds).toBeLessThanOrEqual(60)
}

it('lets 120 public calls of an address pass each minute, and not one more [7j 8c 8n]', async () => {
  const { caller: ip, responses } = await withinOneMinute(freshIp, 150, (ip) => api('GET', UNKNOWN, { ip }))
  expect(rejected(responses)).toHaveLength(30)
  for (const response of responses) expectHeaders(response)
  for (const response of rejected(responses)) expectLimited(response, 120)
  expectLimited(await api('GET', '/agents/no-number', { ip }), 120)
  const lost = await api('GET', '/no/such/route', { ip })
  expectRejection(lost, 404, 'NOT_FOUND', /no\/such\/route/)
  expect(lost.headers.get('x-ratelimit-remaining')).toBe('0')
  expectLimited(await api('GET', '/operators/me', { ip }), 120)
  expect((await api('GET', UNKNOWN)).status).toBe(404)
})

it('counts down by one a call, lets the last one pass and rejects the next [8f]', async () => {
  const { responses } = await withinOneMinute(freshIp, 121, (ip) => api('GET', UNKNOWN, { ip }), 'in turns')
  expect(responses.map(remainingOf)).toEqual([...Array.from({ length: 120 }, (_, n) => 119 - n), 0])
  expect(responses.map(({ status }) => status)).toEqual([...Array(120).fill(404), 429])
})

it('says nothing of the response that it replaces, so that no cache gives a rejection to others', async () => {
  const { reg } = await newReporter()
  const { responses } = await withinOneMinute(freshIp, 150, (ip) => api('GET', `/agents/${reg}`, { ip }))
  for (const { headers } of rejected(responses)) {
    expect(headers.get('cache-control')).toMatch(/no-store/)
    expect(headers.get('etag')).toBeNull()
  }
})

it('counts readers of the document too', async () => {
  const { responses } = await withinOneMinute(freshIp, 122, (ip) =>
    api('GET', '//api/v1/openapi.json', { ip }),
  )
  expect(rejected(responses)).toHaveLength(2)
})

it('is not fooled by headers that a client can set', async () => {
  const headers = (n: number) => ({
    'X-Forwarded-For': `192.0.2.${n}`,
    'X-Real-IP': `192.0.2.${n}`,
    'True-Client-IP': `192.0.2.${n}`,
    Forwarded: `for=192.0.2.${n}`,
  })
  const call = (ip: string, n: number) => api('GET', UNKNOWN, { ip, headers: headers(n) })
  const { responses } = await withinOneMinute(freshIp, 125, call)
  expect(rejected(responses)).toHaveLength(5)
})

it('counts an IPv4 address mapped into IPv6 as itself', async () => {
  const ip = freshIp()
  const first = await api('GET', UNKNOWN, { ip })
  const second = await api('GET', UNKNOWN, { ip: `::ffff:${ip}` })
  const sameMinute = first.headers.get('x-ratelimit-reset') === second.headers.get('x-ratelimit-reset')
  expect(second.headers.get('x-ratelimit-remaining')).toBe(sameMinute ? '118' : '119')
})

it('lets a key make 60 calls a minute from any address, and leaves other keys alone [8a]', async () => {
  const { operator, reg } = await newReporter()
  const body = { reg, event_type: 'heartbeat' }
  const { responses } = await withinOneMinute(
    () => newKey(operator),
    65,
    (key) => api('POST', '/activity/report', { token: key.key, body }),
  )
  expect(rejected(responses)).toHaveLength(5)
  for (const response of rejected(responses)) expectLimited(response, 60)
  const other = await newKey(operator)
  expect((await api('POST', '/activity/report', { token: other.key, body })).status).toBe(201)
})

it('does not run what is over the limit of its key', async () => {
  const { operator, reg } = await newReporter()
  const before = async () =>
    (
      await sql(
        'select events::integer from agent_stats s join agents a on a.id = s.agent_id where reg = $1',
        [reg],
      )
    )[0]
  const stored = await before()
  const { responses } = await withinOneMinute(
    () => newKey(operator),
    61,
    (key) => api('POST', '/activity/report', { token: key.key, body: { reg, event_type: 'x' } }),
  )
  const passed = responses.length - rejected(responses).length
  expect(passed).toBe(60)
  expect((await before()).events).toBeGreaterThanOrEqual(stored.events + passed)
  expect((await before()).events % 60).toBe(0)
})

it('holds a key to the limit that is stored for it [8b]', async () => {
  const { operator, reg } = await newReporter()
  const limited = async () => {
    const key = await newKey(operator)
    await sql('update api_keys set rate_limit_per_minute = 3 where id = $1', [key.id])
    return key
  }
  const { responses } = await withinOneMinute(limited, 5, (key) =>
    api('POST', '/activity/report', { token: key.key, body: { reg, event_type: 'x' } }),
  )
  expect(rejected(responses)).toHaveLength(2)
  expect(new Set(responses.map(({ headers }) => headers.get('x-ratelimit-limit')))).toEqual(new Set(['3']))
})

it('cannot be used to burn a key of which only the prefix is known', async () => {
  const { operator, reg } = await newReporter()
  const keys = await credentialsKeys(h.dir) // without them, no guess would come as far as the key's counter
  const guess = (key: string) => withCheck(key.slice(0, 17) + base62(32), keys)
  const { caller, responses } = await withinOneMinute(
    () => newKey(operator),
    70,
    ({ key }) => api('POST', '/activity/report', { token: guess(key) }),
  )
  for (const response of responses) expectRejection(response, 401, 'UNAUTHORIZED', /this API key is unknown/)
  const body = { reg, event_type: 'x' }
  const { status, headers } = await api('POST', '/activity/report', { token: caller.key, body })
  expect({ status, remaining: headers.get('x-ratelimit-remaining') }).toEqual({
    status: 201,
    remaining: '59',
  })
})

it('lets a session make 120 calls a minute, which do not count on its address', async () => {
  const ip = freshIp()
  const { caller, responses } = await withinOneMinute(newOperator, 122, ({ token }) =>
    api('GET', '/operators/me', { token, ip }),
  )
  expect(rejected(responses)).toHaveLength(2)
  for (const response of rejected(responses)) expectLimited(response, 120)
  expect((await api('GET', UNKNOWN, { ip })).headers.get('x-ratelimit-remaining')).toBe('119')
  const again = await newOperator({ email: caller.email })
  expect((await api('GET', '/operators/me', { token: again.token })).status).toBe(200)
})

it('counts failed credentials on the address, and lets nobody else there suffer for it', async () => {
  const { token } = await newOperator()
  const { caller: ip, responses } = await withinOneMinute(freshIp, 123, (ip, n) =>
    api('GET', '/operators/me', { ip, token: `reg_sess_${String(n).padStart(59, '0')}` }),
  )
  expect(rejected(responses)).toHaveLength(3)
  expect((await api('GET', '/operators/me', { ip, token })).status).toBe(200)
  expectLimited(await api('GET', '/operators/me', { ip, token: withWrongEnd(token) }), 120)
})

it('never rejects an address at /internal, /health and /ready: others of its network may call there', async () => {
  const { caller: ip } = await withinOneMinute(freshIp, 122, (ip) => api('GET', UNKNOWN, { ip }))
  expectLimited(await api('GET', UNKNOWN, { ip }), 120)
  for (const path of ['//internal/qstash/deliver', '//internal/kyc/stripe', '//internal/mail/resend']) {
    expectError(await api('POST', path, { ip, body: '{}' }), 401, 'UNAUTHORIZED')
  }
  for (const path of ['//health', '//ready']) expect((await api('GET', path, { ip })).status).toBe(200)
})

it('lets a session make ten keys a minute, and go on with everything else [8d]', async () => {
  const body = { name: 'k' }
  const { caller, responses } = await withinOneMinute(newOperator, 12, ({ token }) =>
    api('POST', '/operators/me/api-keys', { token, body }),
  )
  expect(rejected(responses)).toHaveLength(2)
  for (const response of rejected(responses)) expectLimited(response, 10)
  expect(await sql('select 1 from api_keys where operator_id = $1', [caller.id])).toHaveLength(10)
  const me = await api('GET', '/operators/me', { token: caller.token })
  expect(me.headers.get('x-ratelimit-remaining')).toBe('119')
})

it('lets an address begin ten sign-ins a minute', async () => {
  const { responses } = await withinOneMinute(freshIp, 13, (ip) => api('GET', '/auth/sign-in', { ip }))
  expect(rejected(responses)).toHaveLength(3)
  for (const response of rejected(responses)) expectLimited(response, 10)
  expect(responses.filter(({ status }) => status === 302)).toHaveLength(10)
})

it('carries the rate-limit headers on every status [8e]', async () => {
  const { operator, reg, key } = await newReporter()
  const { token } = operator
  const reader = (await newKey(operator, ['read'])).key
  const event = { reg, event_type: 'x' }
  const repeat = { 'Idempotency-Key': 'k' }
  const fresh = await api('GET', `/verify/${reg}`)
  await newAgent(operator)
  const responses: ApiResponse[] = [
    fresh,
    await api('POST', '/agents', { token, body: { name: 'x', class: 'A' } }),
    await api('GET', `/verify/${reg}`, { headers: { 'If-None-Match': fresh.headers.get('etag') ?? '' } }),
    await api('GET', '/auth/sign-in'),
    await api('GET', '/agents/x'),
    await api('GET', '/operators/me'),
    await api('POST', '/agents', { token, body: { name: 'x', class: 'A' } }),
    await api('POST', '/activity/report', { token: reader, body: event }),
    await api('GET', `/agents/${unknownReg()}`),
    await api('PUT', '/operators/me'),
    await api('POST', '/agents', { token, body: 'x'.repeat(65_537) }),
    await api('POST', '/agents', { token, body: 'x', headers: { 'Content-Type': 'text/plain' } }),
  ]
  await api('POST', '/activity/report', { token: key, body: event, headers: repeat })
  responses.push(
    await api('POST', '/activity/report', {
      token: key,
      body: { ...event, severity: 'error' },
      headers: repeat,
    }),
    await api('POST', '/activity/report/batch', { token: key, body: { events: [event, {}] } }),
  )
  await api('PATCH', `/agents/${reg}`, { token, body: { status: 'deactivated' } })
  responses.push(await api('POST', '/activity/report', { token: key, body: event }))
  expect(responses.map(({ status }) => status)).toEqual([
    200, 201, 304, 302, 400, 401, 402, 403, 404, 405, 413, 415, 422, 207, 410,
  ])
  for (const { headers } of responses) {
    for (const name of ['limit', 'remaining', 'reset']) {
      expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/)
    }
    expect(Number(headers.get('x-ratelimit-reset')) * 1000).toBeGreaterThan(Date.now() - 60_000)
  }
  for (const response of responses.slice(0, 12)) expectHeaders(response)
})
