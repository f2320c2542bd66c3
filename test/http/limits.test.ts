import { expect, it, vi } from 'vitest'
import { expectHeaders, expectRejection } from '../support/contract.ts'
import { base62, credentialsKeys, withCheck, withWrongEnd } from '../support/credentials.ts'
import { type ApiResponse, expectError, freshIp, shared } from '../support/harness.ts'
import { remainingOf, withinOneMinute } from '../support/minute.ts'
import { askRedis } from '../support/redis.ts'

const h = shared()
const { api, sql, newOperator, newKey, newReporter } = h
vi.setConfig({ testTimeout: 400_000 }) // some tests wait for the next minute

const UNKNOWN = '/agents/REG-1999-0001-0042-4'

const rejected = (responses: ApiResponse[]) => responses.filter(({ status }) => status === 429)

function expectLimited(response: ApiResponse, limit: number): void {
  expectRejection(response, 429, 'RATE_LIMITED', new RegExp(`${limit} requests per minute`))
  expect(response.headers.get('x-ratelimit-limit')).toBe(String(limit))
  expect(response.headers.get('x-ratelimit-remaining')).toBe('0')
  const seconds = Number(response.headers.get('retry-after'))
  const reset = Number(response.headers.get('x-ratelimit-reset'))
  expect(reset % 60).toBe(0)
  const rest = reset - Date.now() / 1000
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
  const minute = Number(responses[0]?.headers.get('x-ratelimit-reset')) / 60 - 1
  expect(await askRedis(h, 'KEYS', `*:${ip}:*`)).toEqual([expect.stringMatching(`:${minute}$`)])
  for (const response of rejected(responses)) {
    expectLimited(response, 120)
    expect(response.headers.get('cache-control')).toMatch(/no-store/)
    expect(response.headers.get('etag')).toBeNull()
  }
  for (const path of ['/agents/no-number', '/operators/me', '//api/v1/openapi.json'])
    expectLimited(await api('GET', path, { ip }), 120)
  const unknownRoute = await api('GET', '/no/such/route', { ip })
  expectRejection(unknownRoute, 404, 'NOT_FOUND', /no\/such\/route/)
  expect(remainingOf(unknownRoute)).toBe(0)
  for (const path of ['//internal/qstash/deliver', '//internal/kyc/stripe', '//internal/mail/resend'])
    expectError(await api('POST', path, { ip, body: '{}' }), 401, 'UNAUTHORIZED')
  for (const path of ['//health', '//ready']) expect((await api('GET', path, { ip })).status).toBe(200)
  expect((await api('GET', UNKNOWN)).status).toBe(404)
})

it('allows 60 requests per minute and key, not counting those that know only its prefix, and executes no more', async () => {
  const { operator, reg } = await newReporter()
  const keys = await credentialsKeys(h.dir) // with a valid check, a guess reaches the lookup of the key
  const guess = (key: string) => withCheck(key.slice(0, 17) + base62(32), keys)
  const report = (token: string, event_type: string) =>
    api('POST', '/activity/report', { token, body: { reg, event_type } })
  const { caller, responses } = await withinOneMinute(
    () => newKey(operator),
    85,
    ({ id, key }, n) => report(n < 20 ? guess(key) : key, id.slice(-12)),
  )
  for (const response of responses.slice(0, 20))
    expectRejection(response, 401, 'UNAUTHORIZED', /this API key is unknown/)
  expect(rejected(responses)).toHaveLength(5)
  for (const response of rejected(responses)) expectLimited(response, 60)
  const type = caller.id.slice(-12)
  expect(await sql('select from activity_events where event_type = $1', [type])).toHaveLength(60)
  expect((await report((await newKey(operator)).key, 'x')).status).toBe(201)
})

it('counts 120 requests per minute and session, and invalid credentials for the IP address', async () => {
  const newCaller = async () => ({ ...(await newOperator()), ip: freshIp() })
  const { caller, responses } = await withinOneMinute(newCaller, 244, ({ token, ip }, n) =>
    api('GET', '/operators/me', { ip, token: n % 2 ? token : `reg_sess_${String(n).padStart(59, '0')}` }),
  )
  const isOfSession = (_: unknown, n: number) => n % 2 === 1
  expect(rejected(responses.filter(isOfSession))).toHaveLength(2)
  expect(rejected(responses)).toHaveLength(4)
  for (const response of rejected(responses)) expectLimited(response, 120)
  const { ip, email } = caller
  const again = await newOperator({ email })
  expect((await api('GET', '/operators/me', { ip, token: again.token })).status).toBe(200)
  expectLimited(await api('GET', '/operators/me', { ip, token: withWrongEnd(again.token) }), 120)
})

it('allows fewer requests per minute and session to keys and checks than to other endpoints', async () => {
  for (const [method, path, limit] of [
    ['GET', '/operators/me', 120],
    ['GET', '/operators/me/kyc', 30],
    ['POST', '/operators/me/kyc/start', 10],
    ['POST', '/agents/REG-1999-0001-0042-4/ownership/verify', 10],
  ] as const) {
    const { headers } = await api(method, path, { token: (await newOperator()).token })
    expect([path, headers.get('x-ratelimit-limit')]).toEqual([path, String(limit)])
  }
  const { caller, responses } = await withinOneMinute(newOperator, 12, ({ token }) =>
    api('POST', '/operators/me/api-keys', { token, body: { name: 'k' } }),
  )
  expect(rejected(responses)).toHaveLength(2)
  for (const response of rejected(responses)) expectLimited(response, 10)
  expect(await sql('select 1 from api_keys where operator_id = $1', [caller.id])).toHaveLength(10)
  expect(remainingOf(await api('GET', '/operators/me', { token: caller.token }))).toBe(119)
})

it('allows an IP address to start ten sign-ins per minute', async () => {
  const { responses } = await withinOneMinute(freshIp, 13, (ip) => api('GET', '/auth/sign-in', { ip }))
  expect(rejected(responses)).toHaveLength(3)
  for (const response of rejected(responses)) expectLimited(response, 10)
  expect(responses.filter(({ status }) => status === 302)).toHaveLength(10)
})

it('uses up no sign-in whose callback is over the limit', async () => {
  const { path, cookie } = await h.walkToCallback()
  const callback = { headers: { Cookie: cookie } }
  const { caller: ip, responses } = await withinOneMinute(freshIp, 120, (ip) => api('GET', UNKNOWN, { ip }))
  expect(rejected(responses)).toEqual([])
  expectLimited(await api('GET', path, { ...callback, ip }), 120)
  expect((await api('GET', path, callback)).status).toBe(200)
})
