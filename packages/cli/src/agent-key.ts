import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { credentialsPath } from './credentials.ts'
import { Failure } from './failure.ts'
import type { SigningKey } from './registry.ts'

const ED25519 = { name: 'Ed25519' }

/** A private key of an agent, which never leaves this machine. */
export interface AgentKey {
  kid: string
  key: SigningKey
}

/** Makes a key. */
export async function makeAgentKey(): Promise<AgentKey> {
  const made = await crypto.subtle.generateKey(ED25519, true, ['sign', 'verify'])
  const { x = '', d = '' } = await crypto.subtle.exportKey(
    'jwk',
    'privateKey' in made ? made.privateKey : made,
  )
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }) // RFC 7638, section 3.2
  const kid = toBase64Url(await crypto.subtle.digest('SHA-256', Buffer.from(members)))
  return { kid, key: { kty: 'OKP', crv: 'Ed25519', x, d } }
}

/** The stored key of an agent; null if there is none. */
export function findAgentKey(baseUrl: string, reg: string): AgentKey | null {
  try {
    return JSON.parse(readFileSync(pathOf(baseUrl, reg), 'utf8')) as AgentKey // only storeAgentKey writes it
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new Failure(`cannot read ${pathOf(baseUrl, reg)}`) // the cause could contain the key
  }
}

/** Stores a key with mode 0600; returns the path. */
export function storeAgentKey(baseUrl: string, reg: string, key: AgentKey): string {
  const path = pathOf(baseUrl, reg)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, `${JSON.stringify(key)}\n`, { mode: 0o600 })
  chmodSync(path, 0o600) // an existing file would keep its mode
  return path
}

/** Deletes the stored key of an agent if it is the one with this id. */
export function forgetAgentKey(baseUrl: string, reg: string, kid: string): void {
  if (findAgentKey(baseUrl, reg)?.kid === kid) rmSync(pathOf(baseUrl, reg))
}

/** Proves to a registry, within 10 minutes, that the private key is here. */
export async function proofOf(
  { key: { kty, crv, x, d } }: AgentKey,
  aud: string,
  sub: string,
): Promise<string> {
  const header = { alg: 'EdDSA', typ: 'agent-key-proof+jwt', jwk: { kty, crv, x } }
  const claims = { aud, sub, iat: Math.floor(Date.now() / 1000) }
  const signed = [header, claims].map((part) => toBase64Url(Buffer.from(JSON.stringify(part)))).join('.')
  const key = await crypto.subtle.importKey('jwk', { kty, crv, x, d }, ED25519, false, ['sign'])
  return `${signed}.${toBase64Url(await crypto.subtle.sign(ED25519, key, Buffer.from(signed)))}`
}

function toBase64Url(bytes: ArrayBuffer | Buffer): string {
  return Buffer.from(bytes as ArrayBuffer).toString('base64url')
}

function pathOf(baseUrl: string, reg: string): string {
  const host = new URL(baseUrl).host.replace(':', '_')
  return join(dirname(credentialsPath()), 'agent-keys', host, `${reg}.json`)
}
