import { type JwkSet, registeredAgents, signedFetch, signRequest, verifyRequest } from '@agentreg/verify'
import { Hono } from 'hono'
import { verifySignature, webcrypto } from 'http-message-sig'
import { createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose'
import { expect, it } from 'vitest'
import * as webBotAuth from 'web-bot-auth'
import { helpers, verifierFromJWK } from 'web-bot-auth/crypto'
import { newAgentKey } from '../support/agent-keys.ts'
import { shared } from '../support/harness.ts'

const h = shared()
const ORIGIN = 'https://shop.example'

it('a Hono route admits only one agent, also offline by its token, until the key is revoked', async () => {
  const { token: session } = await h.newOperator()
  const { body: agent } = await h.api('POST', '/agents', {
    token: session,
    body: { name: 'Invoice Reader', class: 'A', purpose: 'Reads invoices.' },
  })
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const { x = '', d = '' } = await exportJWK(pair.privateKey)
  const key = { kty: 'OKP', crv: 'Ed25519', x, d } as const
  const proof = await new SignJWT({})
    .setProtectedHeader({ alg: 'EdDSA', typ: 'agent-key-proof+jwt', jwk: { kty: 'OKP', crv: 'Ed25519', x } })
    .setAudience(h.base_url)
    .setSubject(agent.reg)
    .setIssuedAt()
    .sign(pair.privateKey)
  const added = await h.api('POST', `/agents/${agent.reg}/keys`, { token: session, body: { proof } })
  expect(added.status).toBe(201)
  const { kid } = added.body
  const { body: stated } = await h.api('GET', `/agent-keys/${kid}/token`)
  const { payload } = await jwtVerify(
    stated.token,
    createRemoteJWKSet(new URL(`${h.base_url}/.well-known/jwks.json`)),
  )
  expect(payload.cnf).toEqual({ jwk: { kty: 'OKP', crv: 'Ed25519', x } })

  const jwks: JwkSet = JSON.parse(await (await fetch(`${h.base_url}/.well-known/jwks.json`)).text())
  const away = async () => Promise.reject(new TypeError('offline'))
  const online = registeredAgents(h.base_url)
  const offline = registeredAgents(h.base_url, { fetch: away, keys: jwks })
  const reasons: (string | null)[] = []
  const shop = (agents: typeof online, admitted = agent.reg, options: object = {}) => {
    const app = new Hono()
    app.use('/orders/*', async (c, next) => {
      const { agent: caller, reason } = await verifyRequest(c.req.raw, { agents, origin: ORIGIN, ...options })
      reasons.push(reason)
      if (caller?.reg === admitted) return next()
      return c.json({ error: 'sign the request as a registered agent' }, 401)
    })
    app.all('/orders/*', (c) => c.json({ stored: true }))
    return app
  }
  const statusOf = async (app: Hono, token?: string) => {
    const send = signedFetch({
      key,
      signatureAgent: `${h.base_url}/agents/${agent.reg}/jwks.json`,
      ...(token && { token }),
      fetch: async (request) => app.fetch(request),
    })
    return (await send(`${ORIGIN}/orders/7?a=1`, { method: 'POST', body: '{"item":7}' })).status
  }
  expect(await statusOf(shop(online))).toBe(200)
  expect(await statusOf(shop(offline), stated.token)).toBe(200)
  expect(await statusOf(shop(online, 'REG-2026-0001-0042-U'))).toBe(401)
  expect((await shop(online).request(`${ORIGIN}/orders/7`)).status).toBe(401)
  expect(reasons.splice(0)).toEqual([null, null, null, 'no_signature'])

  const revoked = await h.api('DELETE', `/agents/${agent.reg}/keys/${kid}?reason=compromised`, {
    token: session,
  })
  expect(revoked).toMatchObject({ status: 200, body: { status: 'revoked' } })
  const later = (seconds: number) => ({ now: new Date(Date.now() + seconds * 1000) })
  expect(await statusOf(shop(online, agent.reg, { ...later(11), fresh: true }))).toBe(401)
  expect(await statusOf(shop(registeredAgents(h.base_url)))).toBe(401)
  expect(reasons).toEqual(['unknown_key', 'unknown_key'])
})

it('other libraries verify a request by the JWK Set that the card of the agent names', async () => {
  const operator = await h.newOperator()
  const { reg } = await h.newAgent(operator)
  const { kid, pair } = await newAgentKey(h, operator, reg)
  const { x = '', d = '' } = await exportJWK(pair.privateKey)
  const key = { kty: 'OKP', crv: 'Ed25519', x, d } as const
  const { body: card } = await h.api('GET', `//agents/${reg}/card.json`)
  const jwk = JSON.parse(await (await fetch(card.jwks_uri)).text()).keys[0]
  expect(await webBotAuth.jwkToKeyID(jwk, helpers.WEBCRYPTO_SHA256, helpers.BASE64URL_DECODE)).toBe(kid)
  const signed = async (legacy: boolean) => {
    const url = `${ORIGIN}/orders?a=1`
    const headers = await signRequest({ url }, { key, signatureAgent: card.jwks_uri, legacy })
    return new Request(url, { headers })
  }
  await webBotAuth.verify(await signed(true), await verifierFromJWK(jwk))
  const publicKey = await crypto.subtle.importKey('jwk', jwk, 'Ed25519', false, ['verify'])
  const { parameters } = await verifySignature(await signed(false), {
    policy: {
      algorithms: ['ed25519'],
      requiredComponents: ['@method', '@authority', '@path', '@query'],
      requiredParameters: ['created', 'expires', 'keyid', 'tag'],
    },
    resolveVerifier: () => webcrypto.verifier(publicKey),
  })
  expect(parameters.keyid).toBe(kid)
})
