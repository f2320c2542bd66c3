import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { keepSignIn, takeSignIn } from '../../src/auth/cookie.ts'
import { toIdentity } from '../../src/auth/oidc.ts'
import { parseEnv } from '../../src/env.ts'
import { ApiError, errorResponse } from '../../src/errors.ts'
import type { App } from '../../src/http/context.ts'
import { SETTINGS } from '../support/settings.ts'

const CLAIMS = { iss: 'https://id.example', sub: 'alice', aud: 'registry', exp: 2, iat: 1 }
const PENDING = { state: 's', nonce: 'n', verifier: 'v' }

/** A client of an app that stores a sign-in at /begin and takes it at /end and /fail. */
function browserOf(BASE_URL: string, now = () => new Date(0)) {
  const env = parseEnv({ ...SETTINGS, BASE_URL })
  const app = new Hono<App>()
    .use(async (c, next) => {
      c.set('env', env)
      c.set('now', now)
      await next()
    })
    .get('/begin', async (c) => {
      await keepSignIn(c, PENDING)
      return c.redirect('https://id.example', 302)
    })
    .get('/end', async (c) => c.json(await takeSignIn(c)))
    .get('/fail', async (c) => {
      await takeSignIn(c)
      throw new ApiError('FORBIDDEN', 'sign-in: canceled')
    })
  app.onError((error) => errorResponse(error as ApiError))
  return (path: string, cookie = '') => app.request(path, { headers: { cookie } })
}

/** Name, value and attributes of the one cookie of a response. */
async function cookieOf(response: Response | Promise<Response>) {
  const [cookie = '', ...others] = (await response).headers.getSetCookie()
  expect(others).toEqual([])
  const [pair = '', ...attributes] = cookie.split('; ')
  return { pair, name: pair.split('=', 1)[0], attributes }
}

describe('the cookie of a sign-in', () => {
  it.each([
    ['https://registry.example.org', '__Host-reg_sign_in', true],
    ['HTTPS://Registry.example.org', '__Host-reg_sign_in', true],
    ['http://localhost:8787', 'reg_sign_in', false],
  ])('is Secure exactly if the service uses https: %s', async (baseUrl, name, isSecure) => {
    const visit = browserOf(baseUrl)
    const kept = await cookieOf(visit('/begin'))
    expect(kept.name).toBe(name)
    expect(kept.attributes.includes('Secure')).toBe(isSecure)
    expect(kept.attributes.filter((one) => one.startsWith('Domain'))).toEqual([])
    expect(kept.attributes).toEqual(
      expect.arrayContaining(['HttpOnly', 'SameSite=Lax', 'Path=/', 'Max-Age=1200']),
    )
    expect(await (await visit('/end', kept.pair)).json()).toEqual(PENDING)
  })

  it.each(['/end', '/fail'])('is deleted by the response that uses it: %s', async (path) => {
    const visit = browserOf('https://registry.example.org')
    const { pair } = await cookieOf(visit('/begin'))
    const deleted = await cookieOf(visit(path, pair))
    expect(deleted.pair).toBe('__Host-reg_sign_in=')
    expect(deleted.attributes).toEqual(expect.arrayContaining(['Secure', 'Path=/', 'Max-Age=0']))
  })

  it('is not read without its __Host- prefix, which another host could set', async () => {
    const visit = browserOf('https://registry.example.org')
    const { pair } = await cookieOf(visit('/begin'))
    expect(await (await visit('/end', pair.replace('__Host-', ''))).json()).toBeNull()
  })

  it('can be used for 20 minutes', async () => {
    let at = 0
    const visit = browserOf('http://localhost:8787', () => new Date(at))
    const { pair } = await cookieOf(visit('/begin'))
    at = 20 * 60_000 - 1
    expect(await (await visit('/end', pair)).json()).toEqual(PENDING)
    at += 1
    expect(await (await visit('/end', pair)).json()).toBeNull()
  })
})

describe('an identity', () => {
  it.each([undefined, false, 'true', 1, null])(
    'needs an email address that the provider has verified: email_verified %j',
    (email_verified) => {
      const claims = {
        ...CLAIMS,
        email: 'alice@example.com',
        ...(email_verified !== undefined && { email_verified }),
      }
      expect(toIdentity(claims as never)).toEqual({ ok: false, reason: 'unverified' })
    },
  )

  it('consists of issuer and subject', () => {
    const claims = { ...CLAIMS, email: 'alice@example.com', email_verified: true, name: ' Alice ' }
    expect(toIdentity(claims)).toMatchObject({
      ok: true,
      identity: { issuer: CLAIMS.iss, subject: 'alice', email: 'alice@example.com' },
    })
    expect(toIdentity({ ...claims, email: undefined } as never)).toEqual({ ok: false, reason: 'invalid' })
    expect(toIdentity(undefined)).toEqual({ ok: false, reason: 'invalid' })
    const addresses = ['a\0@example.com', `${'a'.repeat(243)}@example.com`, `${'a'.repeat(242)}@example.com`]
    expect(addresses.map((email) => toIdentity({ ...claims, email }).ok)).toEqual([false, false, true])
  })
})
