import type { Env } from '../../../src/env.ts'
import { messageOf } from '../../support/message.ts'
import { checksOf, ok, type Visit, wrong } from '../check.ts'

const TIMEOUT_MS = 15_000

interface Provider {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri: string
  scopes_supported?: string[]
  code_challenge_methods_supported?: string[]
  token_endpoint_auth_methods_supported?: string[]
}

/** Checks of the identity provider, with the Worker's client. */
export const signInChecks = checksOf('sign-in', [
  {
    name: 'discovery',
    async run(visit) {
      const { env } = visit
      const provider = await discover(visit)
      const lacks = [
        provider.issuer !== env.OIDC_ISSUER && `its issuer is exactly ${provider.issuer}`,
        provider.code_challenge_methods_supported?.includes('S256') === false &&
          'it does not support PKCE S256',
        provider.token_endpoint_auth_methods_supported?.includes('client_secret_basic') === false &&
          'it does not support client_secret_basic',
        provider.scopes_supported?.includes('email') === false && 'it does not support the scope email',
      ].filter((one) => one !== false)
      return lacks.length > 0
        ? wrong(lacks.join('; '), 'set OIDC_ISSUER to exactly this issuer, or enable this at the provider')
        : ok(`found ${provider.issuer}, with PKCE and client_secret_basic`)
    },
  },
  {
    name: 'client',
    async run(visit) {
      const { env } = visit
      const { token_endpoint } = await discover(visit)
      const basic = [env.OIDC_CLIENT_ID, env.OIDC_CLIENT_SECRET].map(encodeURIComponent).join(':')
      const response = await fetch(token_endpoint, {
        method: 'POST',
        headers: { Authorization: `Basic ${Buffer.from(basic).toString('base64')}` },
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: 'doctor',
          redirect_uri: callbackOf(env),
          code_verifier: 'doctor'.repeat(8),
        }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const { error } = (await response.json().catch(() => ({}))) as { error?: string }
      // The code was never issued: a client with the right secret gets invalid_grant, others get invalid_client.
      return error === 'invalid_grant'
        ? ok('the provider accepts the client and its secret')
        : wrong(
            `the provider returned ${error ?? response.status}`,
            'check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET',
          )
    },
  },
  {
    name: 'redirect',
    async run(visit) {
      const { env } = visit
      const { authorization_endpoint } = await discover(visit)
      const url = new URL(authorization_endpoint)
      const requested = {
        client_id: env.OIDC_CLIENT_ID,
        response_type: 'code',
        scope: 'openid email profile',
        redirect_uri: callbackOf(env),
        state: 'doctor',
        nonce: 'doctor',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', // RFC 7636, appendix B
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(requested)) url.searchParams.set(name, value)
      const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
      const location = response.headers.get('location') ?? ''
      const error = URL.canParse(location, url.href) && new URL(location, url).searchParams.get('error')
      return response.status >= 400 || error
        ? wrong(
            `the provider rejects a sign-in (${error || response.status})`,
            `register exactly the redirect URI ${callbackOf(env)} for this client`,
          )
        : ok(`the redirect URI ${callbackOf(env)} is registered`)
    },
  },
])

/** Requests what the provider states about itself, once per run. */
function discover({ env, once }: Visit): Promise<Provider> {
  const url = `${env.OIDC_ISSUER.replace(/\/$/, '')}/.well-known/openid-configuration`
  return once('discovery', async () => {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }).catch((error: unknown) => {
      throw new Error(`${url} is not reachable: ${messageOf(error)}`, { cause: error })
    })
    if (!response.ok) throw new Error(`${url} returned ${response.status}`)
    return (await response.json()) as Provider // OpenID Connect Discovery 1.0, section 3
  })
}

function callbackOf({ BASE_URL }: Env): string {
  return `${BASE_URL}/api/v1/auth/callback`
}
