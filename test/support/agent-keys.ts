import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { Body, Harness, Operator } from './harness.ts'

/** A key pair of an agent, made by jose. */
export async function makeKey() {
  const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true })
  const { x = '', d = '' } = await exportJWK(privateKey)
  const jwk = { crv: 'Ed25519', kty: 'OKP', x } as const
  return { privateKey, publicKey, key: { ...jwk, d }, jwk, kid: await calculateJwkThumbprint(jwk) }
}

export type KeyPair = Awaited<ReturnType<typeof makeKey>>

/** The proof that an agent has a key; by default, a new one. */
export async function newProof(h: Harness, reg: string, now = new Date(), pair?: KeyPair): Promise<string> {
  const { privateKey, jwk } = pair ?? (await makeKey())
  return new SignJWT({})
    .setProtectedHeader({ alg: 'EdDSA', typ: 'agent-key-proof+jwt', jwk })
    .setAudience(h.base_url)
    .setSubject(reg)
    .setIssuedAt(now)
    .sign(privateKey)
}

/** Registers a key of an agent; returns the response with the key pair. */
export async function newAgentKey(
  h: Harness,
  { token }: Pick<Operator, 'token'>,
  reg: string,
  { now, pair, ...fields }: { now?: Date; pair?: KeyPair; expires_at?: string } = {},
): Promise<Body & { pair: KeyPair }> {
  const made = pair ?? (await makeKey())
  const body = { proof: await newProof(h, reg, now, made), ...fields }
  const reply = await h.api('POST', `/agents/${reg}/keys`, { token, body, ...(now && { now }) })
  if (reply.status !== 201) throw new Error(`POST /agents/${reg}/keys: ${reply.status} ${reply.text}`)
  return { ...reply.body, pair: made }
}
