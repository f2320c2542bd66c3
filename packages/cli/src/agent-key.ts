import { createHash, createPrivateKey, generateKeyPairSync, sign } from 'node:crypto'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseObject } from '../../../src/transparency/bytes.ts'
import type { SigningKey } from '../../verify/index.ts'
import { credentialsPath } from './credentials.ts'
import { Failure } from './failure.ts'
import { findText, writePrivate } from './files.ts'

/** A private key of an agent, which never leaves this machine. */
export interface AgentKey {
  kid: string
  key: SigningKey
}

/** Makes a key. */
export function makeAgentKey(): AgentKey {
  const { x = '', d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const members = JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }) // RFC 7638, section 3.2
  const kid = createHash('sha256').update(members).digest('base64url')
  return { kid, key: { kty: 'OKP', crv: 'Ed25519', x, d } }
}

/** The stored key of an agent; null if there is none. */
export function findAgentKey(baseUrl: string, reg: string): AgentKey | null {
  const text = findText(pathOf(baseUrl, reg))
  if (text === null) return null
  const found = parseObject(text)
  if (!found) throw new Failure(`${pathOf(baseUrl, reg)} is not a key`)
  return found as unknown as AgentKey // only storeAgentKey writes it
}

/** Stores a key, readable only for this user; returns the path. */
export function storeAgentKey(baseUrl: string, reg: string, key: AgentKey): string {
  const path = pathOf(baseUrl, reg)
  writePrivate(path, key)
  return path
}

/** Deletes the stored key of an agent if it is the one with this id. */
export function forgetAgentKey(baseUrl: string, reg: string, kid: string): void {
  if (findAgentKey(baseUrl, reg)?.kid === kid) rmSync(pathOf(baseUrl, reg))
}

/** Proves to a registry, within 10 minutes, that the private key is here. */
export function proofOf({ key }: AgentKey, aud: string, sub: string): string {
  const { d: _, ...jwk } = key
  const header = { alg: 'EdDSA', typ: 'agent-key-proof+jwt', jwk }
  const claims = { aud, sub, iat: Math.floor(Date.now() / 1000) }
  const signed = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const privateKey = createPrivateKey({ key: { ...key }, format: 'jwk' })
  return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
}

function pathOf(baseUrl: string, reg: string): string {
  const host = new URL(baseUrl).host.replace(':', '_')
  return join(dirname(credentialsPath()), 'agent-keys', host, `${reg}.json`)
}
