import { toHex } from './ids.ts'

const encoder = /* @__PURE__ */ new TextEncoder()
const decoder = /* @__PURE__ */ new TextDecoder()
const HMAC = { name: 'HMAC', hash: 'SHA-256' }
const SALT_BYTES = 16
const SIGNATURES_MAX = 8 // one for each active secret of a sender
const IV_BYTES = 12 // AES-GCM, NIST SP 800-38D section 5.2.1.1

/** The UTF-8 bytes of a text. The cast adds what not every set of types states: the buffer is an ArrayBuffer. */
export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text) as Uint8Array<ArrayBuffer>
}

/** SHA-256 of a text's UTF-8 bytes, in lowercase hexadecimal. */
export function sha256(text: string): Promise<string> {
  return sha256Bytes(utf8(text))
}

/** SHA-256 of bytes, in lowercase hexadecimal. */
export async function sha256Bytes(bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

/** HMAC-SHA-256 of a text, as bytes. */
export async function hmacSha256(key: Uint8Array<ArrayBuffer>, text: string) {
  const imported = await crypto.subtle.importKey('raw', key, HMAC, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, utf8(text)))
}

interface HashedSecret {
  salt: string
  secret_hash: string
}

/** Hashes a secret for storage: HMAC-SHA-256 with a new random salt as its key; both in base64. */
export async function hashSecret(secret: string): Promise<HashedSecret> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
  return { salt: toBase64(salt), secret_hash: toBase64(await hmacSha256(salt, secret)) }
}

/** Whether a secret matches the stored hash; compared in constant time. */
export async function secretMatches(secret: string, stored: HashedSecret): Promise<boolean> {
  return isSame(toBase64(await hmacSha256(fromBase64(stored.salt), secret)), stored.secret_hash)
}

/** Whether two ASCII texts are equal; compared in constant time. */
export function isSame(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let i = 0; i < one.length; i++) difference |= one.charCodeAt(i) ^ other.charCodeAt(i)
  return difference === 0
}

/**
 * Whether one of the signatures is the HMAC-SHA-256 of a text, which is hashed once; more than eight are rejected before
 * that. Compared in constant time.
 *
 * @param encode writes a signature as the header does
 */
export async function hasSignature(
  signatures: readonly string[],
  key: Uint8Array<ArrayBuffer>,
  text: string,
  encode: (mac: Uint8Array) => string,
): Promise<boolean> {
  if (signatures.length === 0 || signatures.length > SIGNATURES_MAX) return false
  const expected = encode(await hmacSha256(key, text))
  return signatures.some((one) => isSame(one, expected))
}

/**
 * Encrypts a text with AES-256-GCM.
 *
 * @param secretsKey SECRETS_KEY: 32 bytes in base64
 * @param purpose bound to the result as additional data: `unseal` fails with another purpose
 * @returns base64 of IV, ciphertext, and tag
 */
export async function seal(secretsKey: string, purpose: string, text: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const sealed = await crypto.subtle.encrypt(
    gcm(iv, purpose),
    await aesKey(secretsKey, 'encrypt'),
    utf8(text),
  )
  return toBase64(new Uint8Array([...iv, ...new Uint8Array(sealed)]))
}

/** Decrypts the output of `seal`; null if the key or the purpose differs, or the text was changed. */
export async function unseal(secretsKey: string, purpose: string, sealed: string): Promise<string | null> {
  try {
    const bytes = fromBase64(sealed)
    const text = await crypto.subtle.decrypt(
      gcm(bytes.slice(0, IV_BYTES), purpose),
      await aesKey(secretsKey, 'decrypt'),
      bytes.slice(IV_BYTES),
    )
    return decoder.decode(text)
  } catch {
    return null
  }
}

/**
 * Decrypts the output of `seal` with the first of several keys that fits.
 *
 * @param secretsKeys the most likely one first
 * @returns null if none of them fits
 */
export async function unsealWith(
  secretsKeys: readonly string[],
  purpose: string,
  sealed: string,
): Promise<string | null> {
  for (const key of secretsKeys) {
    const text = await unseal(key, purpose, sealed)
    if (text !== null) return text
  }
  return null
}

function gcm(iv: Uint8Array<ArrayBuffer>, purpose: string) {
  return { name: 'AES-GCM', iv, additionalData: utf8(purpose) }
}

function aesKey(secretsKey: string, use: 'encrypt' | 'decrypt') {
  return crypto.subtle.importKey('raw', fromBase64(secretsKey), 'AES-GCM', false, [use])
}

/** Bytes as standard base64 with padding. */
export function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}

/**
 * Decodes standard base64.
 *
 * @throws DOMException if the text is not base64
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const decoded = atob(text)
  const bytes = new Uint8Array(decoded.length)
  // Uint8Array.from with a callback takes ten times as long, and every check of a credential decodes.
  for (let i = 0; i < decoded.length; i++) bytes[i] = decoded.charCodeAt(i)
  return bytes
}
