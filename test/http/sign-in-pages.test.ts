import { expect, it } from 'vitest'
import { freshEmail, freshIp, shared } from '../support/harness.ts'
import { navigate } from '../support/navigate.ts'
import { BROWSER } from '../support/pages.ts'

const h = shared()

/** Requests a page like a browser that navigates, or like a program. */
async function visit(path: string, { by = navigate as typeof fetch, accept = BROWSER, cookie = '' } = {}) {
  const headers = { Accept: accept, 'CF-Connecting-IP': freshIp(), ...(cookie && { Cookie: cookie }) }
  const response = await by(`${h.base_url}/api/v1${path}`, { headers, redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

function expectSignInPage(
  { status, headers, text }: Awaited<ReturnType<typeof visit>>,
  wanted: number,
): void {
  expect([status, headers.get('content-type')]).toEqual([wanted, 'text/html; charset=utf-8'])
  expect(text).not.toMatch(/reg_sess_|reg_cons_/)
  expect(headers.get('cache-control')).toMatch(/no-store/)
  expect(headers.get('etag')).toBeNull()
  expect(headers.get('vary')).toMatch(/\bSec-Fetch-Mode\b/)
  for (const name of ['limit', 'remaining', 'reset'])
    expect(headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/)
}

it('a browser sees that the sign-in was canceled, but no text of the query', async () => {
  const { path, cookie } = await h.walkToCallback()
  const url = new URL(path, 'https://x.example')
  url.searchParams.delete('code')
  url.searchParams.set('error', 'access_denied')
  url.searchParams.set('error_description', '"><img src=x onerror=alert(1)>')
  const reply = await visit(url.pathname + url.search, { cookie })
  expectSignInPage(reply, 403)
  expect(reply.text).toContain('Canceled at the identity provider; start again.')
  expect(reply.text).not.toContain('onerror')
})

it('a browser sees that its email address is not verified, and no operator is created', async () => {
  const email = freshEmail().replace('@', '+unverified@')
  const { path, cookie } = await h.walkToCallback(email)
  const reply = await visit(path, { cookie })
  expectSignInPage(reply, 403)
  expect(reply.text).toContain('has not verified this email address')
  expect(await h.sql('select 1 from operators where email = $1', [email])).toEqual([])
  const again = await h.walkToCallback(email)
  const program = await visit(again.path, { by: fetch, cookie: again.cookie })
  expect(JSON.parse(program.text).error).toMatchObject({ code: 'FORBIDDEN', status: 403 })
})

it('a browser gets a cookie for the console and a link to it', async () => {
  const email = freshEmail()
  const { path, cookie } = await h.walkToCallback(email)
  const reply = await visit(path, { cookie })
  expectSignInPage(reply, 200)
  expect(reply.text).toContain('<a class="button first" href="/console">')
  expect(reply.text).toContain(email)
  const cookies = reply.headers.getSetCookie()
  expect(cookies.find((one) => one.startsWith('reg_sign_in='))).toMatch(/Max-Age=0/i)
  const [given = ''] = cookies.find((one) => one.startsWith('reg_console=reg_cons_'))?.split(';') ?? []
  expect((await fetch(`${h.base_url}/console`, { headers: { Cookie: given } })).status).toBe(200)
})

it('a program gets a session token and no console cookie, and errors in JSON, whatever it accepts', async () => {
  for (const accept of [BROWSER, 'application/json']) {
    const email = freshEmail()
    const { path, cookie } = await h.walkToCallback(email)
    const reply = await visit(path, { by: fetch, cookie, accept })
    const { session_token: token } = JSON.parse(reply.text)
    expect((await h.api('GET', '/operators/me', { token })).body).toMatchObject({ email })
    expect(reply.headers.getSetCookie().join()).not.toContain('reg_console')
    const error = await visit('/auth/callback?code=x', { by: fetch, accept })
    expect([error.status, JSON.parse(error.text).error.code]).toEqual([400, 'VALIDATION_ERROR'])
  }
  // Of all paths below /api/v1, only the callback has pages.
  const start = await visit(`/auth/sign-in?email=${'<b>'.repeat(99)}`)
  expect([start.status, JSON.parse(start.text).error.code]).toEqual([400, 'VALIDATION_ERROR'])
})
