import { afterEach, describe, expect, it, vi } from 'vitest'
import { app } from '../../src/app.ts'
import { expectBound, expectPage, YEAR_SECONDS } from '../support/bound.ts'
import { type ApiResponse, freshIp, shared } from '../support/harness.ts'
import { navigate } from '../support/navigate.ts'
import { BROWSER } from '../support/pages.ts'
import { SETTINGS } from '../support/settings.ts'

const SIGN_INS_PER_MINUTE = 10
const PUBLIC_PER_MINUTE = 120

const h = shared()
const { routes } = await h.openApi()

afterEach(() => vi.restoreAllMocks())

const asBrowser = (path: string, ip = freshIp(), cookie = '') =>
  navigate(h.base_url + path, { headers: { Accept: BROWSER, 'CF-Connecting-IP': ip, Cookie: cookie } })

describe('every page of the sign-in', () => {
  it('has the security headers: signed in, not found, rate-limited', async () => {
    const { path, cookie } = await h.walkToCallback()
    const signedIn = await asBrowser(`/api/v1${path}`, freshIp(), cookie)
    expect(signedIn.status).toBe(200)
    expectPage(signedIn, 'signed in')
    const unknown = await asBrowser('/api/v1/auth/callback?code=x&state=y')
    expect(unknown.status).toBe(400)
    expectPage(unknown, 'not started')
    const ip = freshIp()
    let last = await asBrowser('/console/sign-in', ip)
    for (let n = 0; n < 2 * SIGN_INS_PER_MINUTE && last.status !== 429; n++)
      last = await asBrowser('/console/sign-in', ip)
    expect(last.status).toBe(429)
    expectPage(last, 'rate-limited')
  })
})

describe('every response', () => {
  const others = [
    ['GET', 'health'],
    ['GET', 'ready'],
    ['GET', '.well-known/jwks.json'],
    ['GET', 'api/v1/openapi.json'],
    ['GET', 'api/v1/nothing'],
    ['GET', 'nothing/at/all'],
    ['DELETE', 'api/v1/agents/search'],
    ['OPTIONS', 'api/v1/agents/search'],
    ['POST', 'internal/qstash/deliver'],
    ['POST', 'internal/kyc/stripe'],
    ['POST', 'internal/mail/resend'],
  ] as const
  const all = [...routes.map(({ method, path }) => [method, `api/v1${path}`] as const), ...others]

  it.each(all)('has the security headers: %s /%s', async (method, path) => {
    const address = `//${path.replaceAll(/\{\w+\}/g, 'x')}`
    for (const headers of [{ Accept: BROWSER }, { Accept: 'application/json' }]) {
      const response = await h.api(method, address, { headers })
      const what = `${method} ${path}: ${response.status}`
      if (response.headers.get('content-type')?.startsWith('text/html')) expectPage(response, what)
      else expectBound(response, what)
      expect(response.headers.get('strict-transport-security'), what).toBeNull()
    }
  })

  it('has the security headers with status 200, 304, or 429', async () => {
    const { reg } = await h.newReporter()
    const ip = freshIp()
    const found = await h.api('GET', `/agents/${reg}`, { ip })
    expectBound(found, 'found')
    const headers = { 'If-None-Match': found.headers.get('etag') ?? '' }
    const same = await h.api('GET', `/agents/${reg}`, { ip, headers })
    expect(same.status).toBe(304)
    expectBound(same, 'not modified')
    let rejected: ApiResponse | undefined
    for (let n = 0; n < PUBLIC_PER_MINUTE / 5 && !rejected; n++) {
      const calls = Array.from({ length: 10 }, () => h.api('GET', `/agents/${reg}`, { ip }))
      rejected = (await Promise.all(calls)).find(({ status }) => status === 429)
    }
    if (!rejected) throw new Error('never rejected')
    expectBound(rejected, 'rejected')
  })

  it('sends Strict-Transport-Security for a year, but only over HTTPS', async () => {
    vi.spyOn(console, 'log').mockReturnValue()
    for (const path of ['/health', '/api/v1/operators/me']) {
      const call = (origin: string) => app.request(origin + path, {}, { ...SETTINGS, BASE_URL: origin })
      const safe = await call('https://registry.example.org')
      expect(safe.headers.get('strict-transport-security')).toBe(`max-age=${YEAR_SECONDS}`)
      expect((await call('http://localhost:1')).headers.get('strict-transport-security')).toBeNull()
    }
  })

  it('has the security headers if the settings are invalid', async () => {
    vi.spyOn(console, 'log').mockReturnValue()
    const response = await app.request('https://registry.example.org/health', {}, { BASE_URL: 'nonsense' })
    expect(response.status).toBe(500)
    expectBound(response, 'invalid settings')
  })
})
