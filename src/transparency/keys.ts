import { utf8 } from '../lib/crypto.ts'
import { toHex } from '../lib/ids.ts'
import { decodeBase64, decodeBase64Url, encodeBase64, joinBytes, sameBytes } from './bytes.ts'
import { webSha256 } from './merkle.ts'

const ED25519 = { name: 'Ed25519' }
const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
export const ID_BYTES = 4
/** The bytes before the seed of a private key in PKCS #8. Source: RFC 8410, section 7. */
const PKCS8_HEAD = /* @__PURE__ */ Uint8Array.of(48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32)
/** Key names contain no Unicode spaces and no plus sign. */
const NAME = /^[^\p{White_Space}\p{Cc}+]+$/u
const VERIFIER_KEY = /^([^+]+)\+[^+]+\+(.+)$/
const SIGNER_KEY = /^PRIVATE\+KEY\+([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/

/** What a key signs: the text of a note, or a checkpoint with the time of the cosignature. */
export const SIGNATURE_TYPES = { note: 1, cosignature: 4 } as const
type SignatureType = (typeof SIGNATURE_TYPES)[keyof typeof SIGNATURE_TYPES]

/** An Ed25519 key that verifies signature lines of notes. */
export interface VerifierKey {
  /** For a log its origin; for a witness its own name. */
  name: string
  /** 4 bytes in hex; name and id identify the signature lines of this key. */
  id: string
  type: SignatureType
  /** 32 bytes. */
  publicKey: Uint8Array<ArrayBuffer>
  /** `<name>+<id>+<base64>`, as it is published. */
  vkey: string
}

/** A Web Crypto key, whose type not every set of types names. */
export type ImportedKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** An Ed25519 key that signs the text of notes, and its verifier key. */
export interface SignerKey {
  privateKey: ImportedKey
  verifier: VerifierKey
}

/**
 * Parses a verifier key.
 *
 * @param vkey `<name>+<id in hex>+<base64 of type and key>`, Ed25519: type 1 for a log, 4 for a witness
 * @returns null for any other text, another type, or an id that does not match name and key
 *
 * Source: C2SP signed-note, Verifier keys; tlog-cosignature, Format.
 */
export async function parseVerifierKey(vkey: string): Promise<VerifierKey | null> {
  const [, name = '', data = ''] = VERIFIER_KEY.exec(vkey) ?? []
  const [type, ...key] = decodeBase64(data) ?? []
  if (!isSignatureType(type) || key.length !== KEY_BYTES || !isKeyName(name)) return null
  const verifier = await toVerifierKey(name, type, Uint8Array.from(key))
  return verifier.vkey === vkey ? verifier : null
}

/**
 * Makes the verifier key for a name and an Ed25519 key.
 *
 * @param publicKey 32 bytes
 *
 * Source: C2SP signed-note, Signatures: the id is the beginning of the SHA-256 of name, newline, type, and key.
 */
export async function toVerifierKey(
  name: string,
  type: SignatureType,
  publicKey: Uint8Array<ArrayBuffer>,
): Promise<VerifierKey> {
  const data = joinBytes(Uint8Array.of(type), publicKey)
  const hash = await webSha256(joinBytes(utf8(`${name}\n`), data))
  const id = toHex(hash.subarray(0, ID_BYTES))
  return { name, id, type, publicKey, vkey: `${name}+${id}+${encodeBase64(data)}` }
}

/**
 * Parses the private key of a log.
 *
 * @param skey `PRIVATE+KEY+<name>+<id in hex>+<base64 of type 1 and seed>`
 * @returns null for any other text, or an id that does not match name and key
 *
 * Source: Go, golang.org/x/mod/sumdb/note, GenerateKey.
 */
export async function parseSignerKey(skey: string): Promise<SignerKey | null> {
  const [, name = '', id = '', data = ''] = SIGNER_KEY.exec(skey) ?? []
  const [type, ...seed] = decodeBase64(data) ?? []
  if (type !== SIGNATURE_TYPES.note || seed.length !== KEY_BYTES || !isKeyName(name)) return null
  const signer = await toSignerKey(name, Uint8Array.from(seed))
  return signer.verifier.id === id ? signer : null
}

/**
 * Makes a new private key of a log.
 *
 * @param origin the origin of the log, which is the name of its key
 * @returns the text for `LOG_KEY`, and the verifier key to publish
 * @throws TypeError if the origin is not a valid key name
 */
export async function makeSignerKey(origin: string): Promise<{ skey: string; vkey: string }> {
  if (!isKeyName(origin)) throw new TypeError('origin: must be a text without spaces and plus')
  const seed = crypto.getRandomValues(new Uint8Array(KEY_BYTES))
  const { verifier } = await toSignerKey(origin, seed)
  const data = encodeBase64(joinBytes(Uint8Array.of(SIGNATURE_TYPES.note), seed))
  return { skey: `PRIVATE+KEY+${origin}+${verifier.id}+${data}`, vkey: verifier.vkey }
}

/** Whether a text is a valid key name. Source: C2SP signed-note, Format. */
export function isKeyName(name: string): boolean {
  return NAME.test(name) && name.isWellFormed()
}

/** Whether two verifier keys have the same public key, whatever their names. Source: C2SP tlog-policy. */
export function isSameKey(one: VerifierKey, other: VerifierKey): boolean {
  return sameBytes(one.publicKey, other.publicKey)
}

/** Whether a signature was made with a key. Source: RFC 8032. */
export async function verifyEd25519(
  { publicKey }: Pick<VerifierKey, 'publicKey'>,
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  if (signature.length !== SIGNATURE_BYTES) return false // workerd would throw
  try {
    const key = await crypto.subtle.importKey('raw', publicKey, ED25519, false, ['verify'])
    return await crypto.subtle.verify(ED25519, key, signature, signed)
  } catch (cause) {
    // Some engines reject bytes that are not a point on the curve when they import the key.
    if (cause instanceof Error && cause.name === 'DataError') return false
    throw cause
  }
}

/** Signs bytes; the signature has 64 bytes. Source: RFC 8032. */
export async function signEd25519(
  { privateKey }: SignerKey,
  signed: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.sign(ED25519, privateKey, signed))
}

async function toSignerKey(name: string, seed: Uint8Array<ArrayBuffer>): Promise<SignerKey> {
  const pkcs8 = joinBytes(PKCS8_HEAD, seed)
  // Only an extractable key can be exported to get the public key; the key that is kept is not extractable.
  const extractable = await crypto.subtle.importKey('pkcs8', pkcs8, ED25519, true, ['sign'])
  const { x } = (await crypto.subtle.exportKey('jwk', extractable)) as { x?: string }
  const publicKey = decodeBase64Url(x ?? '')
  if (publicKey?.length !== KEY_BYTES) throw new Error('Ed25519: this engine exports no public key')
  return {
    privateKey: await crypto.subtle.importKey('pkcs8', pkcs8, ED25519, false, ['sign']),
    verifier: await toVerifierKey(name, SIGNATURE_TYPES.note, publicKey),
  }
}

function isSignatureType(type: number | undefined): type is SignatureType {
  return type === SIGNATURE_TYPES.note || type === SIGNATURE_TYPES.cosignature
}
