import { expect, it, vi } from 'vitest'
import { expectHeaders, expectRejection } from '../support/contract.ts'
import { base62, credentialsKeys, withCheck, withWrongEnd } from '../support/credentials.ts'
import { unknownReg } from '../support/fill.ts'
import { type ApiResponse, expectError, freshIp, shared } from '../support/harness.ts'
import { remainingOf, withinOneMinute } from '../support/minute.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newKey, newReporter } = h
vi.setConfig({ testTimeout: 400_000 }) // some tests wait for the next minute

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
  expect(seconds).toBeGreaterThanOrEqual(Math.floor(rest)) // time has passed since the response
  expect(seconds).toBeLessThanOrEqual(60)
}

it('allows exactly 120 public requests per minute and IP address, whatever forwarding headers say', async () => {
  const { reg } = await newReporter()
  const forwarded = (n: number) => ({
    'X-Forwarded-For': `192.0.2.${n}`,
    'X-Real-IP': `192.0.2.${n}`,
    'True-Client-IP': `192.0.2.${n}`,
    Forwarded: `for=192.0.2.${n}`,
  })
  const read = (ip: string, n: number) => api('GET', `/agents/${reg}`, { ip, headers: forwarded(n) })
  const { caller: ip, responses } = await withinOneMinute(freshIp, 150, read)
  expect(rejected(responses)).toHaveLength(30)
  for (const response of responses) expectHeaders(response)
  for (const response of rejected(responses)) {
    expectLimited(response, 120)
    expect(response.headers.get('cache-control')).toMatch(/no-store/)
    expect(response.headers.get('etag')).toBeNull()
  }
  for (const path of ['/agents/no-number', '/operators/me', '//api/v1/openapi.json'])
    expectLimited(await api('GET', path, { ip }), 120)
  const unknownRoute = await api('GET', '/no/such/route', { ip })
  expectRejection(unknownRoute, 404, 'NOT_FOUND', /no\/such\/route/)
  expect(unknownRoute.headers.get('x-ratelimit-remaining')).toBe('0')
  for (const path of ['//internal/qstash/deliver', '//internal/kyc/stripe', '//internal/mail/resend'])
    expectError(await api('POST', path, { ip, body: '{}' }), 401, 'UNAUTHORIZED')
  for (const path of ['//health', '//ready']) expect((await api('GET', path, { ip })).status).toBe(200)
  expect((await api('GET', UNKNOWN)).status).toBe(404)
})

it('decreases X-RateLimit-Remaining by one per request, and rejects the first beyond the limit', async () => {
  const { responses } = await withinOneMinute(freshIp, 121, (ip) => api('GET', UNKNOWN, { ip }), 'in turns')
  expect(responses.map(remainingOf)).toEqual([...Array.from({ length: 120 }, (_, n) => 119 - n), 0])
  expect(responses.map(({ status }) => status)).toEqual([...Array(120).fill(404), 429])
})

it('counts an IPv4-mapped IPv6 address as the IPv4 address', async () => {
  const ip = freshIp()
  const first = await api('GET', UNKNOWN, { ip })
  const second = await api('GET', UNKNOWN, { ip: `::ffff:${ip}` })
  const sameMinute = first.headers.get('x-ratelimit-reset') === second.headers.get('x-ratelimit-reset')
  expect(second.headers.get('x-ratelimit-remaining')).toBe(sameMinute ? '118' : '119')
})

it('allows 60 requests per minute and key, independent of other keys, and executes no more', async () => {
  const { operator, reg } = await newReporter()
  const report = (key: { key: string }, event_type: string) =>
    api('POST', '/activity/report', { token: key.key, body: { reg, event_type } })
  const { caller, responses } = await withinOneMinute(
    () => newKey(operator),
    65,
    (key) => report(key, key.id.slice(-12)),
  )
  expect(rejected(responses)).toHaveLength(5)
  for (const response of rejected(responses)) expectLimited(response, 60)
  const type = caller.id.slice(-12)
  expect(await sql('select from activity_events where event_type = $1', [type])).toHaveLength(60)
  expect((await report(await newKey(operator), 'x')).status).toBe(201)
})

it('allows fewer requests per minute and session to keys and identity checks than to other endpoints', async () => {
  const limitOf = async (method: string, path: string, body?: object) => {
    const { token } = await newOperator()
    const { headers } = await api(method, path, { token, ...(body && { body }) })
    return Number(headers.get('x-ratelimit-limit'))
  }
  expect(await limitOf('GET', '/operators/me')).toBe(120)
  expect(await limitOf('GET', '/operators/me/kyc')).toBe(30)
  expect(await limitOf('POST', '/operators/me/kyc/start')).toBe(10)
  expect(await limitOf('POST', '/operators/me/api-keys', { name: 'k' })).toBe(10)
  const { responses } = await withinOneMinute(newOperator, 31, ({ token }) =>
    api('GET', '/operators/me/kyc', { token }),
  )
  expect(rejected(responses)).toHaveLength(1)
})

it('applies the limit that is stored for a key', async () => {
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

it('does not count requests against a key if only its prefix is right', async () => {
  const { operator, reg } = await newReporter()
  const keys = await credentialsKeys(h.dir) // with a valid check, a guess reaches the lookup of the key
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

it('allows 120 requests per minute and session, which do not count for its IP address', async () => {
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

it('counts invalid credentials for the IP address, without limiting valid ones from there', async () => {
  const { token } = await newOperator()
  const { caller: ip, responses } = await withinOneMinute(freshIp, 123, (ip, n) =>
    api('GET', '/operators/me', { ip, token: `reg_sess_${String(n).padStart(59, '0')}` }),
  )
  expect(rejected(responses)).toHaveLength(3)
  expect((await api('GET', '/operators/me', { ip, token })).status).toBe(200)
  expectLimited(await api('GET', '/operators/me', { ip, token: withWrongEnd(token) }), 120)
})

it('allows a session to create ten keys per minute, without limiting its other requests', async () => {
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

it('allows an IP address to start ten sign-ins per minute', async () => {
  const { responses } = await withinOneMinute(freshIp, 13, (ip) => api('GET', '/auth/sign-in', { ip }))
  expect(rejected(responses)).toHaveLength(3)
  for (const response of rejected(responses)) expectLimited(response, 10)
  expect(responses.filter(({ status }) => status === 302)).toHaveLength(10)
})

it('returns the rate-limit headers with every status', async () => {
  const { operator, reg, key } = await newReporter()
  const { token } = operator
  const reader = (await newKey(operator, ['read'])).key
  const event = { reg, event_type: 'x' }
  const repeat = { 'Idempotency-Key': 'k' }
  const first = await api('GET', `/verify/${reg}`)
  await newAgent(operator)
  const responses: ApiResponse[] = [
    first,
    await api('POST', '/agents', { token, body: { name: 'x', class: 'A' } }),
    await api('GET', `/verify/${reg}`, { headers: { 'If-None-Match': first.headers.get('etag') ?? '' } }),
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
