import { utf8 } from '../lib/crypto.ts'
import { decodeBase64Url, encodeBase64Url, isObject } from './bytes.ts'
import { webSha256 } from './merkle.ts'

const COORDINATE_BYTES = 32

/** A public P-256 key with its required members only. */
export interface P256Jwk {
  crv: 'P-256'
  kty: 'EC'
  x: string
  y: string
}

/** A public P-256 or Ed25519 key with its required members only. */
export type PublicJwk = P256Jwk | { crv: 'Ed25519'; kty: 'OKP'; x: string }

/**
 * The required members of a public key in alphabetical order.
 *
 * @param jwk a JSON Web Key, public or private; other members are dropped
 * @returns null if it is neither a P-256 nor an Ed25519 key
 *
 * Source: RFC 7638, section 3.2; RFC 8037, section 2.
 */
export function publicJwk(jwk: unknown): PublicJwk | null {
  if (!isObject(jwk)) return null
  const { kty, crv, x } = jwk
  return kty === 'OKP' && crv === 'Ed25519' && isCoordinate(x) ? { crv, kty, x } : p256Jwk(jwk)
}

/** The required members of a public P-256 key; null for any other object. */
export function p256Jwk({ kty, crv, x, y }: Record<string, unknown>): P256Jwk | null {
  const isKey = kty === 'EC' && crv === 'P-256' && isCoordinate(x) && isCoordinate(y)
  return isKey ? { crv, kty, x, y } : null
}

/** The SHA-256 thumbprint of a key, used as its `kid`: 43 characters of base64url. Source: RFC 7638, section 3. */
export async function thumbprint(jwk: PublicJwk): Promise<string> {
  return encodeBase64Url(await webSha256(utf8(JSON.stringify(publicJwk(jwk)))))
}

function isCoordinate(value: unknown): value is string {
  return typeof value === 'string' && decodeBase64Url(value)?.length === COORDINATE_BYTES
}
