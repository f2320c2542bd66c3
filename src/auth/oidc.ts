import * as oidc from 'openid-client'
import type { Env } from '../env.ts'
import { log } from '../lib/log.ts'
import { isStorable } from '../lib/text.ts'
import { EMAIL_MAX } from '../wire/fields.ts'
import { claimedName } from './name.ts'

type Settings = Pick<Env, 'BASE_URL' | 'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET'>

/** The secrets that a callback is checked against; stored in an encrypted cookie during the sign-in. */
export interface PendingSignIn {
  state: string
  nonce: string
  verifier: string
}

/** The person who signed in, according to the provider. */
interface Identity {
  issuer: string
  subject: string
  email: string
  /** Null if the provider sent none. */
  name: string | null
}

/** The result of exchanging a code: an identity, or the reason why there is none. */
export type Exchange =
  | { ok: true; identity: Identity }
  | { ok: false; reason: 'canceled' | 'invalid' | 'unverified' | 'unavailable' }

// Public documents of the provider, cached per isolate. Not promises: the runtime ties a promise to one request.
const metadataOf = new Map<string, oidc.ServerMetadata>()
const jwksOf = new Map<string, oidc.ExportedJWKSCache>()

/**
 * Starts a sign-in.
 *
 * @param email passed to the provider to prefill its form
 * @returns the provider's URL to redirect the browser to, and the secrets to keep until the callback
 * @throws the error of `fetch` when the provider cannot be reached
 *
 * Source: OpenID Connect Core 1.0, section 3.1.2.1; RFC 7636.
 */
export async function beginSignIn(env: Settings, email: string | undefined, signal: AbortSignal) {
  const pending: PendingSignIn = {
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier: oidc.randomPKCECodeVerifier(),
  }
  const url = oidc.buildAuthorizationUrl(await provider(env, signal), {
    redirect_uri: callbackUrl(env),
    scope: 'openid email profile',
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
    ...(email && { login_hint: email }),
  })
  return { url, pending }
}

/**
 * Exchanges the code of a callback for an identity; checks state, verifier, nonce, and the signature of the ID token.
 *
 * @param search the callback's query string
 */
export async function finishSignIn(
  env: Settings,
  search: string,
  pending: PendingSignIn,
  signal: AbortSignal,
): Promise<Exchange> {
  try {
    const config = await provider(env, signal)
    oidc.enableNonRepudiationChecks(config)
    const tokens = await oidc.authorizationCodeGrant(config, new URL(callbackUrl(env) + search), {
      pkceCodeVerifier: pending.verifier,
      expectedState: pending.state,
      expectedNonce: pending.nonce, // so an ID token is required
    })
    keepJwks(env, config)
    return toIdentity(tokens.claims())
  } catch (error) {
    const reason = reasonOf(error)
    // Log only name and code: the message may quote the provider's response.
    const { name, code } = error as { name?: unknown; code?: unknown }
    log('warning', 'sign_in_failed', {
      reason,
      error: String(name),
      code: code === undefined ? undefined : String(code),
    })
    return { ok: false, reason }
  }
}

/** The identity in the claims of a validated ID token; rejects an email address that the provider has not verified. */
export function toIdentity(claims: oidc.IDToken | undefined): Exchange {
  if (typeof claims?.email !== 'string') return { ok: false, reason: 'invalid' }
  if (claims.email_verified !== true) return { ok: false, reason: 'unverified' }
  const { iss: issuer, sub: subject, email } = claims
  if (email.length > EMAIL_MAX || ![subject, email].every(isStorable)) return { ok: false, reason: 'invalid' }
  return { ok: true, identity: { issuer, subject, email, name: claimedName(claims.name, email) } }
}

function reasonOf(error: unknown): 'canceled' | 'invalid' | 'unavailable' {
  if (error instanceof oidc.AuthorizationResponseError) {
    return error.error === 'access_denied' ? 'canceled' : 'invalid'
  }
  if (error instanceof oidc.ResponseBodyError) return 'invalid'
  if (!(error instanceof oidc.ClientError)) return 'unavailable'
  const { code, cause } = error
  const isDown = code === 'OAUTH_TIMEOUT' || (cause instanceof Response && cause.status >= 500)
  return isDown ? 'unavailable' : 'invalid'
}

async function provider(env: Settings, signal: AbortSignal): Promise<oidc.Configuration> {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = env
  const insecure = issuer.startsWith('http:')
  const authentication = oidc.ClientSecretBasic(env.OIDC_CLIENT_SECRET)
  const deadlineFetch: oidc.CustomFetch = (url, options) =>
    fetch(url, { ...(options as RequestInit), signal })
  let metadata = metadataOf.get(issuer)
  if (!metadata) {
    const discovered = await oidc.discovery(new URL(issuer), clientId, undefined, authentication, {
      execute: insecure ? [oidc.allowInsecureRequests] : [],
      [oidc.customFetch]: deadlineFetch,
    })
    metadata = discovered.serverMetadata()
    metadataOf.set(issuer, metadata)
  }
  const config = new oidc.Configuration(metadata, clientId, undefined, authentication)
  config[oidc.customFetch] = deadlineFetch
  if (insecure) oidc.allowInsecureRequests(config)
  const jwks = jwksOf.get(issuer)
  if (jwks) oidc.setJwksCache(config, jwks)
  return config
}

function keepJwks(env: Settings, config: oidc.Configuration): void {
  const jwks = oidc.getJwksCache(config)
  if (jwks) jwksOf.set(env.OIDC_ISSUER, structuredClone(jwks))
}

function callbackUrl(env: Settings): string {
  return `${env.BASE_URL}/api/v1/auth/callback`
}
