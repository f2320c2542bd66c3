import { statSync } from 'node:fs'
import { join } from 'node:path'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { browser } from '../../local/sign-in.ts'
import { type Identity, startIdentity } from '../../local/stand-ins/identity/index.ts'
import { testFolder } from '../support/test-folder.ts'

const CALLBACK = 'http://127.0.0.1:9/api/v1/auth/callback'
const dir = testFolder()
const printed: string[] = []
let identity: Identity
let config: oidc.Configuration

const start = () =>
  startIdentity({
    dir,
    redirectUris: [CALLBACK],
    say: (line) => printed.push(line),
  })

/** Discovers the provider with openid-client, which sends the client secret in a header. */
const discover = ({ issuer, clientId, clientSecret }: Identity) =>
  oidc.discovery(new URL(issuer), clientId, undefined, oidc.ClientSecretBasic(clientSecret), {
    execute: [oidc.allowInsecureRequests, oidc.enableNonRepudiationChecks],
  })

/** A browser session; follows redirects to a page or to the client's callback. */
const openBrowser = () =>
  browser('http://127.0.0.1:9', {}, (url) => url.pathname === new URL(CALLBACK).pathname).visit

type Visit = ReturnType<typeof openBrowser>

async function begin(visit: Visit) {
  const checks = {
    pkceCodeVerifier: oidc.randomPKCECodeVerifier(),
    expectedState: oidc.randomState(),
    expectedNonce: oidc.randomNonce(),
  }
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    scope: 'openid email',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await oidc.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  return { checks, requested: await visit(url.href) }
}

async function requestLink(visit: Visit, page: URL, email: string): Promise<string> {
  const sent = await visit(page.href, { method: 'POST', body: new URLSearchParams({ email }) })
  expect(await sent.response.text()).toContain('Check your inbox')
  const messages = await (
    await fetch(`${identity.mailboxUrl}/messages.json?to=${encodeURIComponent(email)}`)
  ).json()
  const [newest] = messages as { to: string; subject: string; link: string; at: string }[]
  expect(newest).toEqual({
    to: email.toLowerCase(),
    subject: 'Your sign-in link',
    link: expect.stringContaining(page.href),
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  })
  return newest?.link ?? ''
}

async function authorize(email: string) {
  const visit = openBrowser()
  const { checks, requested } = await begin(visit)
  const link = await requestLink(visit, requested.url, email)
  return { checks, back: await visit(link) }
}

async function claimsOf(email: string) {
  const { checks, back } = await authorize(email)
  const tokens = await oidc.authorizationCodeGrant(config, back.url, checks)
  return tokens.claims()
}

beforeAll(async () => {
  identity = await start()
  config = await discover(identity)
})

afterAll(async () => {
  expect(printed).toEqual([])
  await identity.stop()
})

describe('the provider, used by openid-client', () => {
  it('signs in by an emailed link, with a signed ID token that contains the verified email', async () => {
    const claims = await claimsOf('Alice@Example.com')
    expect(claims).toMatchObject({
      iss: identity.issuer,
      aud: identity.clientId,
      email: 'alice@example.com',
      email_verified: true,
    })
    expect(claims?.sub).toMatch(/^[\w-]{43}$/)
    expect(await claimsOf('alice@example.com')).toMatchObject({ sub: claims?.sub })
  })

  it('marks addresses with +unverified@ as not verified', async () => {
    expect(await claimsOf('bob+unverified@example.com')).toMatchObject({ email_verified: false })
  })

  it('rejects a wrong verifier', async () => {
    const { back, checks } = await authorize('carol@example.com')
    const wrong = { ...checks, pkceCodeVerifier: oidc.randomPKCECodeVerifier() }
    const granted = oidc.authorizationCodeGrant(config, back.url, wrong)
    await expect(granted).rejects.toMatchObject({ error: 'invalid_grant' })
  })
})

describe('a restart', () => {
  it('keeps issuer, client, keys, subjects, and messages in private files', async () => {
    const before = await claimsOf('heidi@example.com')
    const keys = await (await fetch(`${identity.issuer}/jwks`)).json()
    const old = identity
    await identity.stop()
    await expect(fetch(old.issuer)).rejects.toThrow()
    identity = await start()
    expect(JSON.stringify(identity)).toBe(JSON.stringify(old)) // without its functions
    expect(await (await fetch(`${identity.issuer}/jwks`)).json()).toEqual(keys)
    const messages = await fetch(`${identity.mailboxUrl}/messages.json?to=heidi@example.com`)
    expect(await messages.json()).toHaveLength(1)
    expect(await claimsOf('heidi@example.com')).toMatchObject({ sub: before?.sub })
    for (const file of ['identity.json', 'mailbox.jsonl'])
      expect(statSync(join(dir, file)).mode & 0o077).toBe(0)
  })

  it('fails while another process uses the port, because accounts are bound to it', async () => {
    await expect(start()).rejects.toThrow(/port \d+ of 127\.0\.0\.1 is taken.*--fresh/)
  })
})
