import { Hono } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import * as oidc from 'openid-client'
import { type Identity, startIdentity } from '../../local/stand-ins/identity/index.ts'
import { fromFetch, serve } from '../../local/stand-ins/serve.ts'

const COOKIE = 'sign_in'

/** Discovers the provider with openid-client, which sends the client secret in a header. */
export const discover = ({ issuer, clientId, clientSecret }: Identity) =>
  oidc.discovery(new URL(issuer), clientId, undefined, oidc.ClientSecretBasic(clientSecret), {
    execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks],
  })

/**
 * Starts a provider and a relying party that keeps state, nonce, and verifier in a cookie, as the Worker does.
 *
 * @param dir folder of the provider
 * @param say receives the warnings of the provider
 */
export async function startParty(dir: string, say: (line: string) => void) {
  const app = new Hono()
  const party = await serve('party', fromFetch(app.fetch))
  const callback = `${party.url}/api/v1/auth/callback`
  const identity = await startIdentity({ dir, redirectUris: [callback], say })
  const config = await discover(identity)
  const callers = new Set<string>()
  app.get('/api/v1/auth/sign-in', async (c) => {
    const ip = c.req.header('CF-Connecting-IP') ?? ''
    if (callers.has(ip)) {
      return c.json({ error: { code: 'RATE_LIMITED', message: 'try again later', status: 429 } }, 429)
    }
    callers.add(ip)
    const [verifier, state, nonce] = [oidc.randomPKCECodeVerifier(), oidc.randomState(), oidc.randomNonce()]
    const kept = [verifier, state, nonce].join('.')
    setCookie(c, COOKIE, kept, { httpOnly: true, sameSite: 'Lax', path: '/api/v1/auth', maxAge: 600 })
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: 'openid email',
      login_hint: c.req.query('email') ?? '',
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    return c.redirect(url.href, 302)
  })
  app.get('/api/v1/auth/callback', async (c) => {
    const [pkceCodeVerifier = '', expectedState = '', expectedNonce = ''] = (
      getCookie(c, COOKIE) ?? ''
    ).split('.')
    const checks = { pkceCodeVerifier, expectedState, expectedNonce }
    const tokens = await oidc.authorizationCodeGrant(config, new URL(c.req.url), checks)
    const claims = tokens.claims()
    if (claims?.email_verified !== true) {
      return c.json({ error: { code: 'FORBIDDEN', message: 'email not verified', status: 403 } }, 403)
    }
    const operator = { subject: claims.sub, email: claims.email, at: c.req.header('X-Test-Now') }
    return c.json({ session_token: `token-${claims.sub}`, expires_at: '2030-01-01T00:00:00Z', operator })
  })
  return {
    url: party.url,
    mailboxUrl: identity.mailboxUrl,
    stop: async () => {
      await identity.stop()
      await party.stop()
    },
  }
}
