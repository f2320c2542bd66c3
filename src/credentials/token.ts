import { randomBase62, toBase62 } from '../lib/base62.ts'
import { fromBase64, hmacSha256, isSame } from '../lib/crypto.ts'

const ID_LENGTH = 8
const SECRET_LENGTH = { session: 43, console: 43, key: 32 } as const // 256 and 190 bits
const CHECK_LENGTH = 8
const CHECKS = 62n ** BigInt(CHECK_LENGTH) // 47 bits; guessing a check is useless, because the secret is compared too

const BEGINNING = {
  session: 'reg_sess_',
  console: 'reg_cons_',
  key: 'reg_live_',
} as const satisfies Record<Kind, string>
const PATTERN = {
  session: /^reg_sess_([0-9A-Za-z]{8})([0-9A-Za-z]{43})[0-9A-Za-z]{8}$/,
  console: /^reg_cons_([0-9A-Za-z]{8})([0-9A-Za-z]{43})[0-9A-Za-z]{8}$/,
  key: /^(reg_live_[0-9A-Za-z]{8})([0-9A-Za-z]{32})[0-9A-Za-z]{8}$/,
} as const satisfies Record<Kind, RegExp>
const KINDS = ['session', 'console', 'key'] as const

/** `console` is a session in a browser's cookie. The check covers the prefix, so that a token cannot change its kind. */
export type Kind = (typeof KINDS)[number]

/** A parsed token: `id` identifies the row, `secret` is compared with its hash. */
export interface Token {
  kind: Kind
  id: string
  secret: string
}

/** A presented token whose check is valid; or else the kind that it looks like. */
export type Presented = { ok: true; token: Token } | { ok: false; like: Kind | null }

/**
 * Makes a token: its beginning, 8 characters of id, 43 of secret (32 in an API key), 8 of check. The id of an API key
 * includes the beginning: together they are its prefix.
 *
 * @param keys CREDENTIALS_KEY; the first one makes the check
 */
export async function makeToken(kind: Kind, keys: readonly string[]): Promise<Token & { text: string }> {
  const random = randomBase62(ID_LENGTH)
  const prefix = BEGINNING[kind] + random
  const secret = randomBase62(SECRET_LENGTH[kind])
  const id = kind === 'key' ? prefix : random
  return { kind, id, secret, text: await withCheck(prefix + secret, keys) }
}

/**
 * Parses a presented token if its check shows that this service issued it.
 *
 * @param keys CREDENTIALS_KEY; any of them may have made the check
 */
export async function readToken(text: string, keys: readonly string[]): Promise<Presented> {
  const like = KINDS.find((kind) => text.toLowerCase().startsWith(BEGINNING[kind])) ?? null
  const [, id, secret] = (like && PATTERN[like].exec(text)) ?? []
  if (!like || !id || !secret) return { ok: false, like }
  const checked = text.slice(0, -CHECK_LENGTH)
  const check = text.slice(-CHECK_LENGTH)
  for (const key of keys) {
    if (isSame(await checkOf(checked, key), check)) return { ok: true, token: { kind: like, id, secret } }
  }
  return { ok: false, like }
}

async function withCheck(text: string, [key]: readonly string[]): Promise<string> {
  if (!key) throw new Error('CREDENTIALS_KEY names no key')
  return text + (await checkOf(text, key))
}

/** The first eight bytes of the HMAC-SHA-256 of a text, as an integer in base62. */
async function checkOf(text: string, key: string): Promise<string> {
  const mac = await hmacSha256(fromBase64(key), text)
  const value = new DataView(mac.buffer, mac.byteOffset).getBigUint64(0) % CHECKS
  return toBase62(Number(value), CHECK_LENGTH)
}
