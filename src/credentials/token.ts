import { randomBase62, toBase62 } from '../lib/base62.ts'
import { crc32 } from '../lib/crc32.ts'

const ID_LENGTH = 8
const SESSION_SECRET_LENGTH = 43 // 256 bits
const KEY_SECRET_LENGTH = 32 // 190 bits
const CHECKSUM_LENGTH = 6 // 62^6 > 2^32

const SESSION_PATTERN = /^reg_sess_([0-9A-Za-z]{8})([0-9A-Za-z]{43})$/
const KEY_PATTERN = /^(reg_live_[0-9A-Za-z]{8})([0-9A-Za-z]{32})([0-9A-Za-z]{6})$/

/** A token taken apart: `id` finds the row, `secret` proves it. */
export interface Token {
  kind: 'session' | 'key'
  id: string
  secret: string
}

/** A new session token: `reg_sess_`, 8 characters of id, 43 of secret. */
export function makeSessionToken(): Token & { text: string } {
  const id = randomBase62(ID_LENGTH)
  const secret = randomBase62(SESSION_SECRET_LENGTH)
  return { kind: 'session', id, secret, text: `reg_sess_${id}${secret}` }
}

/** A new API key: `reg_live_`, 8 characters of id (together the prefix), 32 of secret, 6 of CRC-32. */
export function makeApiKey(): Token & { text: string } {
  const id = `reg_live_${randomBase62(ID_LENGTH)}`
  const secret = randomBase62(KEY_SECRET_LENGTH)
  return { kind: 'key', id, secret, text: id + secret + checksum(id + secret) }
}

/** Takes a presented token apart; null when its shape or its checksum shows that we never gave it out. */
export function parseToken(text: string): Token | null {
  const session = SESSION_PATTERN.exec(text)
  if (session?.[1] && session[2]) return { kind: 'session', id: session[1], secret: session[2] }
  const key = KEY_PATTERN.exec(text)
  if (key?.[1] && key[2] && checksum(key[1] + key[2]) === key[3]) {
    return { kind: 'key', id: key[1], secret: key[2] }
  }
  return null
}

function checksum(text: string): string {
  return toBase62(crc32(text), CHECKSUM_LENGTH)
}
