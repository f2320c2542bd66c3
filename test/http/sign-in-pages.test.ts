import { describe, expect, it } from 'vitest'
import { freshEmail, freshIp, shared } from '../support/harness.ts'
import { navigate } from '../support/navigate.ts'
import { BROWSER } from '../support/pages.ts'

const h = shared()

interface Visit {
  /** How the request is sent: by navigation, or by a program. */
  by?: typeof fetch | typeof navigate
  accept?: string
  cookie?: string
  ip?: string
  base?: string
}

async function visit(path: string, options: Visit = {}) {
  const { by = navigate, accept = BROWSER, cookie, ip = freshIp(), base = h.base_url } = options
  const headers = { Accept: accept, 'CF-Connecting-IP': ip, ...(cookie && { Cookie: cookie }) }
  const response = await by(base + (path.startsWith('/auth/') ? `/api/v1${path}` : path), {
    headers,
    redirect: 'manual',
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

function expectPage(reply: Awaited<ReturnType<typeof visit>>, status: number, words: RegExp): void {
  expect({ status: reply.status, type: reply.headers.get('content-type') }).toEqual({
    status,
    type: 'text/html; charset=utf-8',
  })
  expect(reply.text).toMatch(/^<!doctype html>/)
  expect(reply.text).toMatch(words)
  expect(reply.text.match(/<h1>/g)).toHaveLength(1)
  expect(reply.text).not.toMatch(/reg_sess_|reg_cons_|<style|<script(?! src="\/ui\/app.js")/)
  expect(reply.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'; /)
  expect(reply.headers.get('referrer-policy')).toBe('no-referrer')
  expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
  expect(reply.headers.get('cache-control')).toMatch(/no-store/)
  expect(reply.headers.get('etag')).toBeNull()
  expect(reply.headers.get('vary')).toMatch(/\bSec-Fetch-Mode\b/)
  for (const name of ['limit', 'remaining', 'reset'])
    expect(reply.headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/)
  expect(reply.headers.get('x-request-id')).toMatch(/./)
}

describe('a browser', () => {
  it('sees a page with a link to sign in if it has not started a sign-in', async () => {
    const reply = await visit('/auth/callback?code=x&state=y')
    expectPage(reply, 400, /<h1>This sign-in did not work<\/h1>/)
    expect(reply.text).toContain('href="/console/sign-in">Sign in again</a>')
    expect(reply.text).toContain('400 VALIDATION_ERROR')
  })

  it('sees that the sign-in was canceled, but no text of the query', async () => {
    const { path, cookie } = await h.walkToCallback()
    const url = new URL(path, 'https://x.example')
    url.searchParams.delete('code')
    url.searchParams.set('error', 'access_denied')
    url.searchParams.set('error_description', '"><img src=x onerror=alert(1)>')
    const reply = await visit(url.pathname + url.search, { cookie })
    expectPage(
      reply,
      403,
      /<h1>This sign-in was rejected<\/h1>.*Canceled at the identity provider; start again\./s,
    )
    expect(reply.text).not.toContain('onerror')
  })

  it('sees that its email address is not verified, and no operator is created', async () => {
    const email = freshEmail().replace('@', '+unverified@')
    const { path, cookie } = await h.walkToCallback(email)
    expectPage(await visit(path, { cookie }), 403, /has not verified this email address/)
    expect(await h.sql('select 1 from operators where email = $1', [email])).toEqual([])
    const again = await h.walkToCallback(email)
    const reply = await visit(again.path, { by: fetch, cookie: again.cookie })
    expect(JSON.parse(reply.text).error).toMatchObject({ code: 'FORBIDDEN', status: 403 })
  })

  it('sees an error for too many attempts', async () => {
    const ip = freshIp()
    let reply = await visit('/console/sign-in', { ip })
    // Ten per minute are allowed: of 21 at least one is rejected, also if a minute ends in between.
    for (let n = 0; n < 20 && reply.status === 302; n++) reply = await visit('/console/sign-in', { ip })
    expectPage(reply, 429, /<h1>Too many attempts<\/h1>/)
    expect(reply.headers.get('retry-after')).toMatch(/^\d+$/)
  })

  it('sees that the identity provider is unavailable', async () => {
    const down = await h.variant({ OIDC_ISSUER: 'http://127.0.0.1:9' })
    try {
      const reply = await visit('/console/sign-in', { base: down.url })
      expectPage(reply, 503, /<h1>Signing in is not possible at the moment<\/h1>/)
      expect(reply.headers.get('retry-after')).toBe('30')
    } finally {
      await down.stop()
    }
  })

  it('gets a cookie for the console and a link to it', async () => {
    const email = freshEmail()
    const { path, cookie } = await h.walkToCallback(email)
    const reply = await visit(path, { cookie })
    expectPage(reply, 200, /You are signed in.*<a class="button first" href="\/console">/s)
    expect(reply.text).toContain(email)
    const cookies = reply.headers.getSetCookie()
    expect(cookies.find((one) => one.startsWith('reg_sign_in='))).toMatch(/Max-Age=0/i)
    const [given = ''] = cookies.find((one) => one.startsWith('reg_console=reg_cons_'))?.split(';') ?? []
    const overview = await fetch(`${h.base_url}/console`, { headers: { Cookie: given } })
    expect(overview.status).toBe(200)
  })
})

describe('a program', () => {
  it.each([BROWSER, 'text/html', 'application/json'])(
    'gets a session token and no console cookie, also with Accept: %s',
    async (accept) => {
      const email = freshEmail()
      const { path, cookie } = await h.walkToCallback(email)
      const reply = await visit(path, { by: fetch, cookie, accept })
      const { session_token: token } = JSON.parse(reply.text)
      expect((await h.api('GET', '/operators/me', { token })).body).toMatchObject({ email })
      expect(reply.headers.getSetCookie().join()).not.toContain('reg_console')
    },
  )

  it('gets errors of the callback in JSON, whatever it accepts', async () => {
    for (const accept of [BROWSER, 'text/html', '*/*']) {
      const { status, headers, text } = await visit('/auth/callback?code=x', { by: fetch, accept })
      expect([status, JSON.parse(text).error.code]).toEqual([400, 'VALIDATION_ERROR'])
      expect(headers.get('vary')).toMatch(/\bSec-Fetch-Mode\b/)
    }
  })
})

it('only the callback has pages below /api/v1: errors at the start of a sign-in are JSON, also for browsers', async () => {
  const reply = await visit(`/auth/sign-in?email=${'<b>'.repeat(99)}`)
  expect(reply.status).toBe(400)
  expect(JSON.parse(reply.text).error).toMatchObject({ code: 'VALIDATION_ERROR', status: 400 })
})
