import { html } from 'hono/html'
import { errors, interactionPolicy, Provider } from 'oidc-provider'
import { PAGE_HEADERS, page } from './page.ts'
import type { Secrets } from './secrets.ts'
import { memoryStore } from './store.ts'

export const CLIENT_ID = 'agent-registry'
const MINUTE_SECONDS = 60
const HOUR_SECONDS = 60 * MINUTE_SECONDS

const UNVERIFIED = /\+unverified@/

interface Options {
  issuer: string
  secrets: Secrets
  redirectUris: string[]
  /** The email address of a subject that signed in since the start. */
  emailOf(subject: string): string | undefined
  say(line: string): void
}

function firstPartyPolicy() {
  const policy = interactionPolicy.base()
  policy.remove('consent')
  return policy
}

/**
 * A certified OpenID provider with one confidential client, authorization code and PKCE, and no consent page.
 *
 * An address that contains `+unverified@` gets `email_verified: false`, so that tests can check that it is rejected.
 */
export function createProvider({ issuer, secrets, redirectUris, emailOf, say }: Options): Provider {
  const provider = new Provider(issuer, {
    adapter: memoryStore(),
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: secrets.client_secret,
        client_name: 'Agent Registry',
        redirect_uris: redirectUris,
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [secrets.jwk] },
    cookies: { keys: secrets.cookie_keys },
    scopes: ['openid', 'email'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    // The ID token carries the email, so that the client needs no userinfo request.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    responseTypes: ['code'],
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: false } },
    interactions: {
      policy: firstPartyPolicy(),
      url: (_ctx, interaction) => `/interaction/${interaction.uid}`,
    },
    // store.ts keeps no provider sessions, so nothing may depend on one.
    expiresWithSession: () => false,
    clientBasedCORS: () => false,
    ttl: {
      AccessToken: 10 * MINUTE_SECONDS,
      AuthorizationCode: MINUTE_SECONDS,
      Grant: HOUR_SECONDS,
      IdToken: HOUR_SECONDS,
      Interaction: HOUR_SECONDS,
      Session: HOUR_SECONDS,
    },
    findAccount: (_ctx, subject) => {
      const email = emailOf(subject)
      if (email === undefined) return undefined
      const claims = { sub: subject, email, email_verified: !UNVERIFIED.test(email) }
      return { accountId: subject, claims: () => claims }
    },
    loadExistingGrant: async (ctx) => {
      const { client, account } = ctx.oidc
      if (!client || !account) return undefined
      const grant = new provider.Grant({ clientId: client.clientId, accountId: account.accountId })
      grant.addOIDCScope('openid email')
      await grant.save()
      return grant
    },
    renderError: (ctx, out) => {
      const detail = out.error_description ?? 'The request could not be understood.'
      ctx.set(PAGE_HEADERS)
      ctx.body = String(
        page('Sign-in is not possible', html`<p>${detail}</p><p class="soft"><code>${out.error}</code></p>`),
      )
    },
  })
  provider.on('server_error', (_ctx, error) => {
    if (!(error instanceof errors.OIDCProviderError)) say(`identity: ${error.stack ?? error.message}`)
  })
  return provider
}
