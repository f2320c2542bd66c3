import { createRequire } from 'node:module'
import { signRequest, verifyRequest } from '@agentreg/verify'
import { exportJWK, generateKeyPair } from 'jose'
import { expect, it } from 'vitest'
import { thumbprint } from '../../src/transparency/jwk.ts'
import { keyDirectory } from '../support/key-directory.ts'

const load = createRequire(import.meta.url)
const httpMessageSig = load('http-message-sig')
const webBotAuth = load('web-bot-auth')
const webBotAuthKeys = load('web-bot-auth/crypto')
const ISSUER = 'https://registry.example'
const REG = 'REG-2026-0001-0042-U'
const URL_WITH_QUERY = 'https://shop.example/orders?id=7'
const signatureAgent = `${ISSUER}/agents/${REG}/jwks.json`
const ED25519 = { name: 'Ed25519' }

async function agent() {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const { x = '', d = '' } = await exportJWK(privateKey)
  const jwk = { crv: 'Ed25519', kty: 'OKP', x } as const
  const kid = await thumbprint(jwk)
  const directory = await keyDirectory(ISSUER, [{ kid, jwk, holder: { reg: REG, active: true } }])
  directory.state.now = Math.floor(Date.now() / 1000)
  const agents = directory.open()
  const check = (request: Request, require?: string[]) =>
    verifyRequest(request, { agents, origin: 'https://shop.example', ...(require && { require }) })
  return { key: { ...jwk, d }, privateKey, publicKey, kid, check }
}

it.each([URL_WITH_QUERY, 'https://shop.example/'])(
  'http-message-sig verifies a request to %s',
  async (url) => {
    const { key, publicKey } = await agent()
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

it('requests of http-message-sig are verified', async () => {
  const { privateKey, kid, check } = await agent()
  const { component, createSignature, appendSignature, webcrypto } = httpMessageSig
  const request = new Request(URL_WITH_QUERY, { headers: { 'Signature-Agent': `sig1="${signatureAgent}"` } })
  const created = Math.floor(Date.now() / 1000)
  const fields = await createSignature(request, {
    label: 'sig1',
    components: ['@method', '@authority', '@path', '@query', component('signature-agent', { key: 'sig1' })],
    parameters: { created, expires: created + 60, keyid: kid, alg: 'ed25519', tag: 'web-bot-auth' },
    signer: webcrypto.signer(privateKey),
  })
  const headers = appendSignature(request.headers, fields)
  expect(await check(new Request(request, { headers }))).toMatchObject({ reason: null, agent: { reg: REG } })
})

it('web-bot-auth verifies a request whose Signature-Agent is a string', async () => {
  const { key, publicKey, kid } = await agent()
  const headers = await signRequest({ url: URL_WITH_QUERY }, { key, signatureAgent, legacy: true })
  const verifier = async (data: string, signature: Uint8Array<ArrayBuffer>, { keyid }: { keyid: string }) =>
    keyid === kid && crypto.subtle.verify(ED25519, publicKey, signature, new TextEncoder().encode(data))
  expect(await webBotAuth.verify(new Request(URL_WITH_QUERY, { headers }), verifier)).toBe(true)
})

it('requests of web-bot-auth are verified, if `require` allows what they leave out', async () => {
  const { key, kid, check } = await agent()
  const request = new Request(URL_WITH_QUERY, { headers: { 'Signature-Agent': `"${signatureAgent}"` } })
  const signer = await webBotAuthKeys.signerFromJWK(key)
  const created = new Date()
  const expires = new Date(created.getTime() + 60_000)
  const added = await webBotAuth.signatureHeaders(request, signer, { created, expires })
  request.headers.set('Signature', added.Signature)
  request.headers.set('Signature-Input', added['Signature-Input'])
  expect(await check(request)).toMatchObject({ reason: 'not_covered', keyId: kid })
  expect(await check(request, [])).toMatchObject({ reason: null, agent: { reg: REG } })
})
