import { Hono } from 'hono'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { keepSignIn, takeSignIn } from '../../src/auth/cookie.ts'
import { beginSignIn, finishSignIn, toIdentity } from '../../src/auth/oidc.ts'
import { openedFrom } from '../../src/auth/open.ts'
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

describe('the identity provider', () => {
  const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri']
  const IN_TIME = new AbortController().signal
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })

  /** Makes fetch respond as a provider does; one issuer each, because its documents are cached. Returns the settings. */
  function stubProvider(
    issuer: string,
    token = () => Response.error(),
    documents: Record<string, object> = {},
  ) {
    const urls = Object.fromEntries(ENDPOINTS.map((name) => [name, `${issuer}/${name}`]))
    const metadata = { issuer, id_token_signing_alg_values_supported: ['ES256'], ...urls }
    const served: Record<string, object> = { 'openid-configuration': metadata, ...documents }
    vi.stubGlobal('fetch', async (url: string, { signal }: RequestInit) => {
      signal?.throwIfAborted()
      const name = url.slice(url.lastIndexOf('/') + 1)
      return name === 'token_endpoint' ? token() : Response.json({ ...metadata, ...served[name] })
    })
    return { ...SETTINGS, OIDC_ISSUER: issuer }
  }

  it('is sent nobody by plain http, unless it uses that itself', async () => {
    const plain = { 'openid-configuration': { authorization_endpoint: 'http://id.example/plain' } }
    const env = stubProvider('https://plain.example', undefined, plain)
    const code = 'OAUTH_HTTP_REQUEST_FORBIDDEN'
    await expect(beginSignIn(env, undefined, IN_TIME)).rejects.toMatchObject({ code })
  })

  const token = (status: number) => () => new Response('', { status })
  const unreachable = () => {
    throw new TypeError('fetch failed')
  }
  const late = AbortSignal.abort(new DOMException('too late', 'TimeoutError'))
  it.each([
    [
      'reports an error',
      'error=server_error',
      token(200),
      IN_TIME,
      'invalid',
      'AUTHORIZATION_RESPONSE_ERROR',
    ],
    ['rejects the exchange', 'code=c', token(499), IN_TIME, 'invalid', 'RESPONSE_IS_NOT_JSON'],
    ['fails', 'code=c', token(500), IN_TIME, 'unavailable', 'RESPONSE_IS_NOT_CONFORM'],
    ['is late', 'code=c', token(200), late, 'unavailable', 'TIMEOUT'],
    ['is unreachable', 'code=c', unreachable, IN_TIME, 'unavailable', undefined],
  ])(
    'that %s yields no identity, and the log has the reason',
    async (what, query, respond, signal, reason, code) => {
      const env = stubProvider(`https://${what.replaceAll(' ', '-')}.example`, respond)
      const logged = vi.spyOn(console, 'log').mockReturnValue()
      expect(await finishSignIn(env, `?${query}&state=s`, PENDING, signal)).toEqual({ ok: false, reason })
      const line = { level: 'warning', event: 'sign_in_failed', reason, error: expect.any(String) }
      expect(logged.mock.calls.map(([text]) => JSON.parse(text))).toEqual([
        { ...line, ...(code && { code: `OAUTH_${code}` }) },
      ])
    },
  )

  it('must have signed the ID token', async () => {
    const [own, other] = await Promise.all([generateKeyPair('ES256'), generateKeyPair('ES256')])
    const jwks_uri = { keys: [await exportJWK(own.publicKey)] }
    vi.spyOn(console, 'log').mockReturnValue()
    for (const [issuer, { privateKey }, ok] of [
      ['https://signed.example', own, true],
      ['https://forged.example', other, false],
    ] as const) {
      const claims = { email: 'alice@example.com', email_verified: true, nonce: PENDING.nonce }
      const jwt = new SignJWT(claims)
        .setIssuer(issuer)
        .setSubject('alice')
        .setAudience(SETTINGS.OIDC_CLIENT_ID)
      const signed = jwt.setIssuedAt().setExpirationTime('1h').setProtectedHeader({ alg: 'ES256' })
      const id_token = await signed.sign(privateKey)
      const granted = () => Response.json({ access_token: 'a', token_type: 'Bearer', id_token })
      const env = stubProvider(issuer, granted, { jwks_uri })
      expect(await finishSignIn(env, '?code=c&state=s', PENDING, IN_TIME), issuer).toMatchObject({ ok })
    }
  })
})

it('a session may be opened without a user agent', async () => {
  const app = new Hono<App>().get('/', (c) => c.json(openedFrom(c)))
  expect(await (await app.request('/')).json()).toMatchObject({ user_agent: '' })
})
