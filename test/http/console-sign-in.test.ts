import { describe, expect, it } from 'vitest'
import { openConsole } from '../support/console.ts'
import { freshEmail, shared } from '../support/harness.ts'
import { pageReader } from '../support/pages.ts'

const h = shared()

const read = pageReader(h)

describe('the console', () => {
  it('admits its operator without caching or framing, and rejects the cookie after signing out', async () => {
    const stranger = await read('/console')
    expect(stranger.status).toBe(401)
    expect(stranger.html).toContain('href="/console/sign-in?to=%2Fconsole"')
    const visitor = await openConsole(h, freshEmail())
    const overview = await visitor.get('/console')
    expect(overview).toMatchObject({ status: 200, title: 'Overview · Agent Registry' })
    expect(overview.headers.get('cache-control')).toBe('private, no-store')
    expect(overview.headers.get('etag')).toBeNull()
    expect(overview.headers.get('referrer-policy')).toBe('same-origin')
    expect(overview.headers.get('content-security-policy')).toMatch(
      /form-action 'self'; frame-ancestors 'none'/,
    )
    const out = await visitor.send('/console', '/console/sign-out', {})
    expect(out).toMatchObject({ status: 303, location: '/' })
    expect(out.headers.get('set-cookie')).toMatch(/^reg_console=;.*Max-Age=0/)
    expect(await visitor.get('/console')).toMatchObject({ status: 401 })
  })

  it('rejects forms sent by another site or shown to another session, and links to the console', async () => {
    const [visitor, other] = [await openConsole(h, freshEmail()), await openConsole(h, freshEmail())]
    const fields = await visitor.fieldsOf('/console', '/console/sign-out')
    const rejected = [
      await visitor.post('/console/sign-out', {}),
      await visitor.post('/console/sign-out', { ...fields, _token: 'no base64!' }),
      await visitor.post('/console/sign-out', await other.fieldsOf('/console', '/console/sign-out')),
      await visitor.post('/console/account/sessions/end-all', fields), // valid only for its own path
      await visitor.post('/console/sign-out', fields, { Origin: 'https://evil.example' }),
      await visitor.post('/console/sign-out', fields, { 'Sec-Fetch-Site': 'cross-site' }),
      await visitor.post('/console/sign-out', fields, { 'Sec-Fetch-Site': 'same-site' }),
    ]
    expect(rejected.map(({ status }) => status)).toEqual(Array(7).fill(403))
    const links = rejected.map(({ text }) => /href="([^"]*)">Continue in the console</.exec(text)?.[1])
    expect(links).toEqual([...Array(3).fill('/console'), '/console/account', ...Array(3).fill('/console')])
    expect(await visitor.get('/console')).toMatchObject({ status: 200 })
  })

  it('does not say that nothing was changed if it cannot know', async () => {
    const { cookie } = await openConsole(h, freshEmail())
    await using down = await h.variant({ NEON_SQL_URL: 'http://127.0.0.1:9/sql' })
    const headers = { Cookie: cookie, Origin: h.base_url }
    const sent = await read('/console/sign-out', { method: 'POST', base: down.url, headers })
    expect(sent.status).toBe(503)
    expect(sent.text).toContain('The registry cannot respond at the moment')
    expect(sent.text).not.toContain('Nothing was changed')
  })
})

describe('a session', () => {
  it('of a program is rejected by the console, also with the prefix of a console session', async () => {
    const operator = await h.newOperator({ email: freshEmail() })
    for (const token of [operator.token, operator.token.replace('reg_sess_', 'reg_cons_')]) {
      const response = await read('/console', { headers: { Cookie: `reg_console=${token}` } })
      expect(response.status).toBe(401)
    }
  })

  it('of the console is rejected as a Bearer token, also with the prefix of a session token', async () => {
    const visitor = await openConsole(h, freshEmail())
    const token = visitor.cookie.slice(visitor.cookie.indexOf('reg_cons_'))
    for (const text of [token, token.replace('reg_cons_', 'reg_sess_')]) {
      const { status, body } = await h.api('GET', '/operators/me', { token: text })
      expect([status, body.error.code]).toEqual([401, 'UNAUTHORIZED'])
    }
    expect((await visitor.get('/console')).status).toBe(200)
  })
})

describe('a sign-in to the console', () => {
  it.each([
    ['/console/keys?x=1', '/console'],
    ['/console/account?token_name=a&notice=b', '/console'],
    ['/console/account?token_name=CLI', '/console/account?token_name=CLI'],
    ['https://evil.example/console', '/console'],
    ['/console/../api', '/console'],
    ['/console/agents', '/console/agents'],
  ])('with the destination %s ends at %s', async (to, expected) => {
    const { cookie, callback } = await walk(to)
    const response = await read(callback, { headers: { Cookie: cookie } })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe(expected)
    const given = response.headers.getSetCookie().find((one) => one.startsWith('reg_console='))
    expect(given).toMatch(/^reg_console=reg_cons_\w{59}; /)
    for (const part of ['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=43200']) expect(given).toContain(part)
  })

  it('that was started in another browser shows a page with a link to sign in', async () => {
    const response = await read('/api/v1/auth/callback?code=x&state=y')
    expect(response.status).toBe(400)
    expect(response.html).toContain('href="/console/sign-in">Sign in again</a>')
    expect(await read('/console/sign-in')).toMatchObject({ status: 302 })
    expect(response.headers.getSetCookie()).toEqual([])
  })

  it('of a suspended operator is rejected on a page, also in an existing session', async () => {
    const operator = await h.newOperator({ email: freshEmail() })
    const visitor = await openConsole(h, operator.email)
    await h.suspend(operator)
    const page = await visitor.get('/console')
    expect(page.status).toBe(403)
    expect(page.text).toContain('This operator is suspended; contact the administrator')
    const { cookie, callback } = await walk('/console', operator.email)
    const response = await read(callback, { headers: { Cookie: cookie } })
    expect(response.status).toBe(403)
    expect(response.html).toContain('This operator is suspended; contact the administrator')
    expect(response.headers.getSetCookie().join()).not.toContain('reg_console')
  })

  it('says that the identity provider is unavailable', async () => {
    await using down = await h.variant({ OIDC_ISSUER: 'http://127.0.0.1:9' })
    const response = await read('/console/sign-in', { base: down.url })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('30')
    expect(response.html).toContain('<h1>Signing in is not possible at the moment</h1>')
  })

  it.each(['/console/sign-in', '/api/v1/auth/sign-in'])(
    'at %s begins only if it is counted',
    async (path) => {
      await using down = await h.variant({ UPSTASH_REDIS_REST_URL: 'http://127.0.0.1:9' })
      const response = await read(path, { base: down.url })
      expect(response.status).toBe(503)
      expect(response.headers.getSetCookie()).toEqual([])
    },
  )

  it('is valid for 12 hours', async () => {
    const signedIn = new Date(Date.now() - 12 * 3_600_000 - 1_000)
    const visitor = await openConsole(h, freshEmail(), { 'X-Test-Now': signedIn.toISOString() })
    expect((await visitor.get('/console')).status).toBe(200)
    const Cookie = visitor.cookie
    const lastSeconds = new Date(signedIn.getTime() + 12 * 3_600_000 - 20_000).toISOString()
    const late = await read('/console', { headers: { Cookie, 'X-Test-Now': lastSeconds } })
    expect(late.status).toBe(200)
    const later = await read('/console', { headers: { Cookie } })
    expect(later.status).toBe(401)
    expect(later.html).toContain('Your session has ended.')
    const sent = await visitor.post('/console/sign-out', {}, { 'X-Test-Now': new Date().toISOString() })
    expect(sent.text).toContain('href="/console/sign-in?to=%2Fconsole"')
  })
})

/** Follows a sign-in that starts at the console, up to its callback. */
async function walk(to: string, email = freshEmail()) {
  const { path, cookie } = await h.walkToCallback(email, `/console/sign-in?to=${encodeURIComponent(to)}`)
  return { cookie, callback: `/api/v1${path}` }
}
