import { constants, createPublicKey, verify } from 'node:crypto'
import { createRequire } from 'node:module'
import { signRequest, verifyRequest } from '@agentreg/verify'
import { describe, expect, it } from 'vitest'
import { parseDictionary } from '../../packages/verify/fields.ts'
import { readMessage } from '../../packages/verify/message.ts'
import { signatureBase } from '../../packages/verify/signature-base.ts'
import { makeKey } from '../support/agent-keys.ts'
import { keyDirectory } from '../support/key-directory.ts'
import rfc from '../vectors/agent-keys/rfc9421.json' with { type: 'json' }
import requests from '../vectors/agent-keys/signed-requests.json' with { type: 'json' }
import botAuth from '../vectors/agent-keys/web-bot-auth.json' with { type: 'json' }
import negative from '../vectors/agent-keys/web-bot-auth-negative.json' with { type: 'json' }

interface Written {
  method: string
  url: string
  headers: object
  body?: string | undefined
}

const toRequest = ({ url, method, headers, body = undefined }: Written) =>
  new Request(url, { method, headers: { ...headers }, ...(body !== undefined && { body }) })
const toNode = ({ url, method, headers }: Written) => ({
  method,
  url: url.slice(new URL(url).origin.length),
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
})
const at = (seconds: number) => new Date(seconds * 1000)
const { issuer } = requests
const published = { ...botAuth.key, holder: requests.holder }
const example = { origin: 'https://example.com', require: [], maxLifeSeconds: Number.POSITIVE_INFINITY }

async function directoryAt(now: number, status = 200) {
  const known = { kid: requests.kid, jwk: requests.jwk, holder: requests.holder }
  const directory = await keyDirectory(issuer, [known, published], requests.registry_jwks.keys)
  Object.assign(directory.state, { now, status })
  return directory
}

describe('vectors of RFC 9421', () => {
  it.each(rfc.tests)('$id', (test) => {
    const { label, input, signature, alg } = test
    const message = readMessage(toNode(rfc.request), ['https://example.com'])
    const covered = parseDictionary(`${label}=${input}`)?.get(label)
    if (typeof message === 'string' || !covered) throw new Error('not read')
    const base = signatureBase(message, covered)
    if (base === null) throw new Error('no base')
    if ('base' in test) expect(base).toBe(test.base)
    const isRsa = alg === 'rsa-pss-sha512'
    const key = createPublicKey({
      key: rfc.keys[isRsa ? 'test-key-rsa-pss' : 'test-key-ed25519'],
      format: 'jwk',
    })
    const options = isRsa ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 } : key
    const signed = verify(
      isRsa ? 'sha512' : null,
      Buffer.from(base),
      options,
      Buffer.from(signature, 'base64'),
    )
    expect(signed).toBe(true)
  })

  it('2.1.2: members of a dictionary', () => {
    const members = [...(parseDictionary(rfc.dictionary.field.trim()) ?? [])]
    expect(Object.fromEntries(members.map(([key, { text }]) => [key, text]))).toEqual(rfc.dictionary.members)
  })
})

describe('vectors of web-bot-auth', () => {
  it.each(botAuth.tests)('$id', async ({ request, now }) => {
    const agents = (await directoryAt(now)).open()
    const found = await verifyRequest(toRequest(request), { ...example, agents, now: at(now) })
    expect(found).toMatchObject({ outcome: 'verified', reason: null, keyId: botAuth.key.kid })
    const limited = { agents, origin: example.origin, require: [], now: at(now) }
    expect(await verifyRequest(toRequest(request), limited)).toMatchObject({
      reason: 'too_long',
      agent: null,
    })
  })

  it.each(negative.tests)('$id is $expected.reason', async ({ id, request, now }) => {
    const agents = (await directoryAt(now)).open()
    const found = await verifyRequest(toRequest(request), { ...example, agents, now: at(now) })
    // NV-12: the key names the agent. NV-17: obsolete since -01, where a value with a path is a JWK Set.
    const isAccepted = id === 'NV-12' || id === 'NV-17'
    expect(found.outcome).toBe(isAccepted ? 'verified' : 'invalid')
    expect(found.agent === null).toBe(!isAccepted)
  })
})

describe('requests signed by other libraries', () => {
  it.each(requests.tests)('$name ($made_by)', async (test) => {
    const { request, now, expected } = test
    const lookup = 'lookup' in test ? 404 : 'offline' in test ? 0 : 200
    for (const received of [toRequest(request), toNode(request)]) {
      const agents = (await directoryAt(now, lookup)).open()
      const body = 'body' in request ? request.body : undefined
      const found = await verifyRequest(received, { agents, origin: requests.origin, now: at(now), body })
      expect({ outcome: found.outcome, reason: found.reason }).toEqual(expected)
      expect(found.agent?.reg).toBe(expected.outcome === 'verified' ? requests.reg : undefined)
    }
  })
})

// Requests of these libraries are vectors: signed-requests.json.
const load = createRequire(import.meta.url)
const httpMessageSig = load('http-message-sig')
const webBotAuth = load('web-bot-auth')
const ISSUER = 'https://registry.example'
const REG = 'REG-2026-0001-0042-U'
const URL_WITH_QUERY = 'https://shop.example/orders?id=7'
const signatureAgent = `${ISSUER}/agents/${REG}/jwks.json`
const ED25519 = { name: 'Ed25519' }

it.each([URL_WITH_QUERY, 'https://shop.example/'])(
  'http-message-sig verifies a request to %s',
  async (url) => {
    const { key, publicKey } = await makeKey()
    for (const body of [undefined, '{"a":1}']) {
      const headers = await signRequest(
        { method: 'POST', url },
        { key, signatureAgent, body, token: 'eyJ.eyJ.c' },
      )
      const found = await httpMessageSig.verifySignature(new Request(url, { method: 'POST', headers }), {
        policy: {
          algorithms: ['ed25519'],
          requiredComponents: ['@method', '@authority', '@path', 'signature-key'],
          requiredParameters: ['created', 'expires', 'keyid', 'nonce', 'tag'],
        },
        resolveVerifier: () => httpMessageSig.webcrypto.verifier(publicKey),
      })
      expect(found.parameters.tag).toBe('web-bot-auth')
    }
  },
)

it('web-bot-auth verifies a request whose Signature-Agent is a string', async () => {
  const { key, publicKey, kid } = await makeKey()
  const headers = await signRequest({ url: URL_WITH_QUERY }, { key, signatureAgent, legacy: true })
  const verifier = async (data: string, signature: Uint8Array<ArrayBuffer>, { keyid }: { keyid: string }) =>
    keyid === kid && crypto.subtle.verify(ED25519, publicKey, signature, new TextEncoder().encode(data))
  expect(await webBotAuth.verify(new Request(URL_WITH_QUERY, { headers }), verifier)).toBe(true)
})
