import { createRequire } from 'node:module'
import { signRequest } from '@agentreg/verify'
import { exportJWK, generateKeyPair } from 'jose'
import { expect, it } from 'vitest'
import { thumbprint } from '../../src/transparency/jwk.ts'

// Requests of these libraries are vectors: signed-requests.json.
const load = createRequire(import.meta.url)
const httpMessageSig = load('http-message-sig')
const webBotAuth = load('web-bot-auth')
const ISSUER = 'https://registry.example'
const REG = 'REG-2026-0001-0042-U'
const URL_WITH_QUERY = 'https://shop.example/orders?id=7'
const signatureAgent = `${ISSUER}/agents/${REG}/jwks.json`
const ED25519 = { name: 'Ed25519' }

async function agent() {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const { x = '', d = '' } = await exportJWK(privateKey)
  const jwk = { crv: 'Ed25519', kty: 'OKP', x } as const
  return { key: { ...jwk, d }, publicKey, kid: await thumbprint(jwk) }
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

it('web-bot-auth verifies a request whose Signature-Agent is a string', async () => {
  const { key, publicKey, kid } = await agent()
  const headers = await signRequest({ url: URL_WITH_QUERY }, { key, signatureAgent, legacy: true })
  const verifier = async (data: string, signature: Uint8Array<ArrayBuffer>, { keyid }: { keyid: string }) =>
    keyid === kid && crypto.subtle.verify(ED25519, publicKey, signature, new TextEncoder().encode(data))
  expect(await webBotAuth.verify(new Request(URL_WITH_QUERY, { headers }), verifier)).toBe(true)
})
