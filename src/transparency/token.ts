import { utf8 } from '../lib/crypto.ts'
import { encodeBase64Url } from './bytes.ts'
import { type P256Jwk, type PublicJwk, publicJwk, thumbprint } from './jwk.ts'
import type { ImportedKey } from './keys.ts'

export const TOKEN_TYPE = 'agent-verification+jwt'
export const TOKEN_ALGORITHM = 'ES256'
const LIFE_SECONDS = 900
const STEP_SECONDS = 60 // tokens of the same minute differ only in their signature
const P256 = { name: 'ECDSA', namedCurve: 'P-256' }
const ES256 = { name: 'ECDSA', hash: 'SHA-256' }

/** A private P-256 key as a JSON Web Key; `x`, `y`, and `d` are 32 bytes in base64url. */
export type PrivateJwk = P256Jwk & { d: string }

/** A key that signs tokens. */
export interface TokenKey {
  /** The thumbprint of the key. */
  kid: string
  privateKey: ImportedKey
  publicJwk: PublicJwk
}

/** A key as `/.well-known/jwks.json` shows it. */
type TokenJwk = PublicJwk & { kid: string; use: 'sig'; alg: typeof TOKEN_ALGORITHM }

/** The newest signed head of the log. */
export interface LogHead {
  origin: string
  /** Number of leaves. */
  size: number
  /** In standard base64. */
  root: string
}

interface Statement {
  /** The URL of the service, `https://registry.example`. */
  issuer: string
  /** The response of `GET /verify/{reg}`; in the token, its `checked_at` is `iat`. */
  verification: { reg: string; checked_at: string }
  /** Null if there is no signed head. */
  log: LogHead | null
  /** The key of the agent that the token is about; times in ISO 8601, `index` of the leaf that states that it was added. */
  holder?: { x: string; added_at: string; expires_at: string | null; index: number | null }
}

/**
 * Imports the keys that sign tokens.
 *
 * @param jwks private P-256 keys; the first signs, all are published
 * @throws Error that names the position of a key, never its value, if d does not belong to x and y
 *
 * Source: RFC 7517, section 4; RFC 7518, section 6.2.
 */
export function importTokenKeys(jwks: readonly PrivateJwk[]): Promise<TokenKey[]> {
  return Promise.all(jwks.map(importTokenKey))
}

/** Makes a key, as the text of one element of `TOKEN_KEYS`. */
export async function makeTokenKey(): Promise<string> {
  const made = await crypto.subtle.generateKey(P256, true, ['sign', 'verify'])
  const privateKey = 'privateKey' in made ? made.privateKey : made
  const { d, ...jwk } = (await crypto.subtle.exportKey('jwk', privateKey)) as { d?: string }
  return JSON.stringify({ ...publicJwk(jwk), d })
}

/** The public keys, as `/.well-known/jwks.json` returns them. Source: RFC 7517, section 5. */
export function toJwks(keys: readonly TokenKey[]): { keys: TokenJwk[] } {
  return { keys: keys.map(({ kid, publicJwk: jwk }) => ({ ...jwk, kid, use: 'sig', alg: TOKEN_ALGORITHM })) }
}

/**
 * Signs a verification. The token is valid for 15 minutes from the start of the minute of `now`, and never longer than the
 * key of the agent that it names.
 *
 * @returns the token and its expiry, ISO 8601 in UTC
 *
 * Source: docs/use/verification-token.md, "Format"; RFC 7800, section 3.2.
 */
export async function signToken(
  { issuer, verification, log, holder }: Statement,
  key: TokenKey,
  now: Date,
): Promise<{ token: string; expires_at: string }> {
  const iat = Math.floor(now.getTime() / 1000 / STEP_SECONDS) * STEP_SECONDS
  const end = holder?.expires_at ? Math.floor(Date.parse(holder.expires_at) / 1000) : Number.POSITIVE_INFINITY
  const exp = Math.min(iat + LIFE_SECONDS, end)
  const claims = {
    iss: issuer,
    sub: verification.reg,
    iat,
    exp,
    verification: { ...verification, checked_at: toIso(iat) },
    ...(log && { log: { origin: log.origin, size: log.size, root: log.root } }),
    ...(holder && {
      cnf: { jwk: { crv: 'Ed25519', kty: 'OKP', x: holder.x } },
      key: { added_at: holder.added_at, index: holder.index },
    }),
  }
  return { token: await signJwt(TOKEN_TYPE, claims, key), expires_at: toIso(exp) }
}

/** Signs claims as a JSON Web Token of a type. Source: RFC 7515, section 7.1; RFC 7518, section 3.4. */
export async function signJwt(typ: string, claims: object, { kid, privateKey }: TokenKey): Promise<string> {
  const signed = [{ alg: TOKEN_ALGORITHM, typ, kid }, claims].map(toPart).join('.')
  const signature = new Uint8Array(await crypto.subtle.sign(ES256, privateKey, utf8(signed)))
  return `${signed}.${encodeBase64Url(signature)}`
}

/** The part of a token that is signed: its encoded header and claims. */
export function signedPart(token: string): string {
  return token.slice(0, token.lastIndexOf('.'))
}

async function importTokenKey({ kty, crv, x, y, d }: PrivateJwk, at: number): Promise<TokenKey> {
  const shown = { crv, kty, x, y }
  try {
    const privateKey = await crypto.subtle.importKey('jwk', { ...shown, d }, P256, false, ['sign'])
    const publicKey = await crypto.subtle.importKey('jwk', shown, P256, false, ['verify'])
    const probe = utf8(x)
    const signature = await crypto.subtle.sign(ES256, privateKey, probe)
    if (!(await crypto.subtle.verify(ES256, publicKey, signature, probe))) throw new Error('other halves')
    return { kid: await thumbprint(shown), privateKey, publicJwk: shown }
  } catch {
    throw new Error(`TOKEN_KEYS.${at}: d must be the private half of x and y`)
  }
}

function toPart(value: object): string {
  return encodeBase64Url(utf8(JSON.stringify(value)))
}

function toIso(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
