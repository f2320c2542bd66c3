import { afterEach, describe, expect, it, vi } from 'vitest'
import { app } from '../../src/app.ts'
import { expectBound, expectPage, YEAR_SECONDS } from '../support/bound.ts'
import { freshIp, shared } from '../support/harness.ts'
import { BROWSER, pageReader } from '../support/pages.ts'
import { SETTINGS } from '../support/settings.ts'

const h = shared()
const { routes } = await h.openApi()
const read = pageReader(h)

afterEach(() => vi.restoreAllMocks())

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

  it('has the security headers: signed in, not modified, rate-limited', async () => {
    const { path, cookie } = await h.walkToCallback()
    const signedIn = await read(`/api/v1${path}`, { headers: { Cookie: cookie } })
    expect(signedIn.status).toBe(200)
    expectPage(signedIn, 'signed in')
    const { reg } = await h.newReporter()
    const found = await h.api('GET', `/agents/${reg}`)
    expectBound(found, 'found')
    const headers = { 'If-None-Match': found.headers.get('etag') ?? '' }
    const same = await h.api('GET', `/agents/${reg}`, { headers })
    expect(same.status).toBe(304)
    expectBound(same, 'not modified')
    for (const [path, expectHeaders] of [
      ['/console/sign-in', expectPage],
      ['/api/v1/auth/sign-in', expectBound],
    ] as const) {
      const ip = freshIp() // limited at the second ten in a minute
      const responses = await Promise.all(Array.from({ length: 21 }, () => read(path, { ip })))
      const limited = responses.find(({ status }) => status === 429)
      if (!limited) throw new Error('never limited')
      expectHeaders(limited, 'rate-limited')
    }
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
