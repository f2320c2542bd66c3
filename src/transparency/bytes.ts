import { fromBase64 } from '../lib/crypto.ts'
import { parseJson } from '../lib/json.ts'

const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Bytes as standard base64 with padding, of any length. Source: RFC 4648, section 4. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Decodes standard base64; null for any text that `encodeBase64` does not write. Source: RFC 4648, section 3.5. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | null {
  return decodeExactly(text, encodeBase64)
}

/** Bytes as base64url without padding. Source: RFC 4648, section 5; RFC 7515, section 2. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** Decodes base64url without padding; null for any text that `encodeBase64Url` does not write. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  return decodeExactly(text, encodeBase64Url)
}

function decodeExactly(text: string, encode: (bytes: Uint8Array) => string): Uint8Array<ArrayBuffer> | null {
  try {
    const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
    return encode(bytes) === text ? bytes : null
  } catch {
    return null
  }
}

/** The text of UTF-8 bytes, including a byte order mark; null if they are not UTF-8. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

/** Concatenates bytes into a new buffer. */
export function joinBytes(...pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** Whether bytes are equal. Not in constant time, so not for secrets. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, n) => byte === other[n])
}

/** Parses a JSON object; null for any other text. */
export function parseObject(text: string): Record<string, unknown> | null {
  const value = parseJson(text)
  return isObject(value) ? value : null
}

/** Whether a JSON value is an object, not an array or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a JSON value is a whole number from 0 to 2^53 - 1. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}
