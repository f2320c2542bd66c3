import { utf8 } from '../lib/crypto.ts'
import { toHex } from '../lib/ids.ts'
import { decodeBase64Url, decodeText, isObject, parseObject } from '../transparency/bytes.ts'
import { publicJwk, thumbprint } from '../transparency/jwk.ts'
import { verifyEd25519 } from '../transparency/keys.ts'

const TYPE = 'agent-key-proof+jwt'
const ALGORITHMS: readonly unknown[] = ['EdDSA', 'Ed25519'] // RFC 8037, RFC 9864
const AGE_MAX_SECONDS = 600
const AHEAD_MAX_SECONDS = 60

/** The y-coordinates of all points whose order divides 8: with such a key, anybody can make valid signatures. */
const SMALL_ORDER: readonly string[] = [
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
]
const NOT_CANONICAL = /^(e[d-f]|f.)(ff){30}7f$/ // 2^255 - 19 or more: another encoding of a smaller number

/** Keys whose private halves are printed in RFC 8032, section 7.1 (also in RFC 8037), and RFC 9421, B.1.4. */
const PUBLISHED: readonly string[] = [
  'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
  'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
  '278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e',
  'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
  '26b40b8f93fff3d897112f7ebc582b232dbd72517d082fe83cfb30ddce43d1bb',
]

interface Expected {
  /** The URL of this service. */
  audience: string
  /** The agent number. */
  reg: string
  now: Date
}

/**
 * Checks the proof that whoever made it for an agent has the private half of a key: a JWS in compact form.
 *
 * @returns the public key `x` and its thumbprint, or the part of the proof that is wrong
 *
 * Source: RFC 7515, section 5.2; RFC 8037.
 */
export async function checkProof(
  proof: string,
  expected: Expected,
): Promise<{ x: string; kid: string; problem: null } | { problem: string }> {
  const [header, claims, signature, ...more] = proof.split('.').map(decodeBase64Url)
  const head = objectIn(header)
  const said = objectIn(claims)
  if (!head || !said || !signature?.length || more.length > 0) {
    return { problem: 'malformed: must be a signed JWS in compact form, in base64url without padding' }
  }
  const jwk = publicJwk(head.jwk)
  const problem = problemOfHeader(head) ?? problemOfClaims(said, expected)
  if (problem) return { problem }
  if (jwk?.kty !== 'OKP') return { problem: 'jwk: must be a public Ed25519 key (kty OKP, crv Ed25519, x)' }
  const key = decodeBase64Url(jwk.x) ?? new Uint8Array()
  const weakness = weaknessOf(key)
  if (weakness) return { problem: weakness }
  const signed = utf8(proof.slice(0, proof.lastIndexOf('.')))
  if (!(await verifyEd25519({ publicKey: key }, signature, signed)))
    return { problem: 'signature: does not match the key' }
  return { x: jwk.x, kid: await thumbprint(jwk), problem: null }
}

function problemOfHeader({ typ, alg, crit, jwk }: Record<string, unknown>): string | null {
  if (isObject(jwk) && 'd' in jwk) return 'contains a private key: never use this key'
  if (typ !== TYPE) return `typ: must be ${TYPE}`
  if (crit !== undefined) return 'crit: no extensions are supported'
  return ALGORITHMS.includes(alg) ? null : 'alg: must be EdDSA or Ed25519'
}

function problemOfClaims({ aud, sub, iat }: Record<string, unknown>, { audience, reg, now }: Expected) {
  if (aud !== audience) return `aud: must be ${audience}`
  if (sub !== reg) return `sub: must be ${reg}`
  const age = now.getTime() / 1000 - (typeof iat === 'number' ? iat : Number.NaN)
  if (Number.isNaN(age)) return 'iat: must be the time at which it was made, in Unix seconds'
  if (age > AGE_MAX_SECONDS) return 'too old: iat must be within the last 10 minutes'
  return age < -AHEAD_MAX_SECONDS ? 'from the future: iat must be at most 60 s ahead' : null
}

function weaknessOf(key: Uint8Array): string | null {
  const hex = toHex(key)
  const y = toHex(key.map((byte, at) => (at === 31 ? byte & 0x7f : byte)))
  if (SMALL_ORDER.includes(y) || NOT_CANONICAL.test(y)) return 'weak key: anyone could sign with it'
  return PUBLISHED.includes(hex) ? 'public test key: its private key is published' : null
}

function objectIn(bytes: Uint8Array | null | undefined): Record<string, unknown> | null {
  const text = bytes ? decodeText(bytes) : null
  return text === null ? null : parseObject(text)
}
