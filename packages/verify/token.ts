import { REG_PATTERN } from '../../src/lib/agent-number.ts'
import { utf8 } from '../../src/lib/crypto.ts'
import { decodeBase64Url, decodeText, isCount, isObject, parseObject } from '../../src/transparency/bytes.ts'
import { p256Jwk } from '../../src/transparency/jwk.ts'
import { type LogHead, TOKEN_ALGORITHM, TOKEN_TYPE } from '../../src/transparency/token.ts'
import { type JwkSet, type KeySource, requireOrigin } from './keys.ts'

const MAX_TOKEN_LENGTH = 8_192
const MAX_LIFE_SECONDS = 3_600
const TOLERANCE_SECONDS = 60
const SIGNATURE_BYTES = 64 // of ES256: RFC 7518, section 3.4
const ES256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const TOKEN = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/

/** Why a token is rejected. */
export type TokenRejection =
  | 'malformed' // longer than 8 KB, not strict base64url, claims missing, or valid for over an hour
  | 'wrong_type' // another kind of token, or an algorithm other than ES256
  | 'unknown_key' // the issuer has no such ES256 key
  | 'bad_signature'
  | 'wrong_issuer'
  | 'not_yet_valid' // issued more than 60 seconds in the future
  | 'expired' // more than 60 seconds ago, or older than `maxAgeSeconds`

/** The response of `GET /verify/{reg}` at `checked_at`. Fields may be added. */
export interface Verification {
  reg: string
  checked_at: string
  [field: string]: unknown
}

export type VerifiedToken =
  | {
      verification: Verification
      /** The newest signed head of the log at that time: compare it with yours. Null while there is no log. */
      log: LogHead | null
      reason: null
    }
  | { verification: null; log: null; reason: TokenRejection }

interface Options {
  /** The origin of the service, from your own settings: `https://registry.example`. */
  issuer: string
  /** Its keys: a set, or `remoteKeys(issuer)`, created once. */
  keys: JwkSet | KeySource
  /** The current time, if not that of the clock. */
  now?: Date
  /** Rejects tokens that were issued longer ago; all tokens expire after 15 minutes. */
  maxAgeSeconds?: number
}

/**
 * Verifies a token of the registry. A token states facts about an agent number; it does not prove that its presenter is
 * that agent. Compare the number and its domain with the party you are talking to.
 *
 * @param token the compact form, `eyJ….….…`
 * @returns the verification, or null and the reason
 * @throws TypeError if `issuer` is not an origin, `keys` are not keys or those of another issuer, `now` is not a date, or
 * `maxAgeSeconds` is not a number of at least 0
 * @throws Error if `remoteKeys` could not fetch keys, which is no statement about the token
 *
 * Source: docs/use/verification-token.md, "Format"; RFC 7515, section 5.2; RFC 7519, section 7.2; RFC 8725, section 3.
 */
export async function verifyToken(
  token: string,
  { issuer: url, keys, now = new Date(), maxAgeSeconds = MAX_LIFE_SECONDS }: Options,
): Promise<VerifiedToken> {
  // `instanceof` would reject a Date of another realm.
  const seconds = Object.prototype.toString.call(now) === '[object Date]' ? now.getTime() / 1000 : Number.NaN
  if (Number.isNaN(seconds)) throw new TypeError('now: must be a valid Date')
  // A string would be concatenated to `iat`, not added, and limit nothing.
  if (typeof maxAgeSeconds !== 'number' || !(maxAgeSeconds >= 0))
    throw new TypeError('maxAgeSeconds: must be a number of seconds')
  const issuer = requireOrigin(url)
  requireKeys(keys, issuer)
  const keysFor = async (kid: string) => ('keysFor' in keys ? keys.keysFor(kid) : keys)
  const text = typeof token === 'string' ? token : ''
  const claims = await readClaims(text, issuer, keysFor, seconds, maxAgeSeconds)
  return typeof claims === 'string'
    ? { verification: null, log: null, reason: claims }
    : { verification: claims.verification, log: claims.log, reason: null }
}

/**
 * Verifies a token; the other parameters must already be valid, as `verifyToken` ensures.
 *
 * @param seconds the current time, Unix seconds
 * @returns the claims of the token, or why it is rejected
 */
export async function readClaims(
  token: string,
  issuer: string,
  keysFor: (kid: string) => Promise<JwkSet>,
  seconds: number,
  maxAgeSeconds = MAX_LIFE_SECONDS,
): Promise<Claims | TokenRejection> {
  const opened = await openJwt(token, TOKEN_TYPE, keysFor)
  if (typeof opened === 'string') return opened
  const claims = claimsOf(opened.payload)
  if (!claims) return 'malformed'
  if (claims.iss !== issuer) return 'wrong_issuer'
  if (claims.iat > seconds + TOLERANCE_SECONDS) return 'not_yet_valid'
  const end = Math.min(claims.exp, claims.iat + maxAgeSeconds)
  return seconds < end + TOLERANCE_SECONDS ? { ...claims, kid: opened.kid, jwk: opened.jwk } : 'expired'
}

/**
 * Verifies the signature of a JSON Web Token of a type.
 *
 * @returns its claims, which are not verified, and its key; or why it is rejected
 */
export async function openJwt(
  token: string,
  type: string,
  keysFor: (kid: string) => Promise<JwkSet>,
  maxLength = MAX_TOKEN_LENGTH,
) {
  const parts = token.length <= maxLength ? partsOf(token) : null
  if (!parts) return 'malformed'
  const { header, payload, signature, signed } = parts
  // The header is not verified yet; the key below must be for ES256, too.
  if (header.typ !== type || header.alg !== TOKEN_ALGORITHM) return 'wrong_type'
  // `crit` lists extensions that must be understood; none is supported.
  if ('crit' in header || typeof header.kid !== 'string') return 'malformed'
  const found = await findKey(await keysFor(header.kid), header.kid)
  if (!found) return 'unknown_key'
  const isSigned =
    signature.length === SIGNATURE_BYTES && (await crypto.subtle.verify(ES256, found.key, signature, signed))
  if (!isSigned) return 'bad_signature'
  return { payload: parseObject(decodeText(payload) ?? '') ?? {}, kid: header.kid, jwk: found.jwk }
}

function requireKeys(keys: unknown, issuer: string): asserts keys is JwkSet | KeySource {
  if (!isObject(keys) || !('keysFor' in keys || Array.isArray(keys.keys)))
    throw new TypeError('keys: must be remoteKeys(issuer), or a set of keys: {"keys": […]}')
  if ('issuer' in keys && keys.issuer !== issuer) throw new TypeError('keys: must be those of the issuer')
}

function partsOf(token: string) {
  const [, ...parts] = TOKEN.exec(token) ?? []
  const [head, payload, signature] = parts.map(decodeBase64Url)
  const header = head && parseObject(decodeText(head) ?? '')
  const signed = utf8(parts.slice(0, 2).join('.'))
  return header && payload && signature ? { header, payload, signature, signed } : null
}

/** The key with this id; null if there is none or it is not for ES256, whatever the token states. */
async function findKey({ keys }: JwkSet, kid: string) {
  const found: Record<string, unknown> = { ...keys.find((key) => Reflect.get(key, 'kid') === kid) }
  // JavaScript engines differ in which base64url they accept.
  const jwk = p256Jwk(found)
  if (!jwk || found.alg !== TOKEN_ALGORITHM || (found.use ?? 'sig') !== 'sig') return null
  try {
    return { jwk, key: await crypto.subtle.importKey('jwk', { ...jwk }, ES256, false, ['verify']) }
  } catch {
    return null // not a point of the curve
  }
}

/** The claims of a token. */
export interface Claims {
  iss: unknown
  iat: number
  exp: number
  verification: Verification
  log: LogHead | null
  /** The key of the agent for which the token was made, and what is stated about it; not read here. */
  cnf?: unknown
  key?: unknown
  /** The id of the key that signed it, and the key. */
  kid: string
  jwk: object
}

function claimsOf(payload: Record<string, unknown>): Omit<Claims, 'kid' | 'jwk'> | null {
  const { iss, sub, iat, exp, verification, log = null, cnf, key } = payload
  if (!isCount(iat) || !isCount(exp) || exp <= iat || exp - iat > MAX_LIFE_SECONDS) return null
  if (!isVerification(verification) || verification.reg !== sub) return null
  return log === null || isHead(log) ? { iss, iat, exp, verification, log, cnf, key } : null
}

function isVerification(value: unknown): value is Verification {
  return isObject(value) && isText(value.reg) && REG_PATTERN.test(value.reg) && isText(value.checked_at)
}

function isHead(value: unknown): value is LogHead {
  return isObject(value) && isText(value.origin) && isCount(value.size) && isText(value.root)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
