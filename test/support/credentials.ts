import { createHmac, randomBytes } from 'node:crypto'
import { settingsOf } from './worker-settings.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHECK_LENGTH = 8

/** CREDENTIALS_KEY of a running stack, by its folder. */
export async function credentialsKeys(dir: string): Promise<string[]> {
  return settingsOf(dir).CREDENTIALS_KEY?.split(',') ?? []
}

/** Appends a valid checksum, computed with the first CREDENTIALS_KEY, independently of the service's code. */
export function withCheck(text: string, [key = '']: readonly string[]): string {
  const mac = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('hex')
  let digits = ''
  for (let rest = BigInt(`0x${mac.slice(0, 16)}`); digits.length < CHECK_LENGTH; rest /= 62n)
    digits = ALPHABET.charAt(Number(rest % 62n)) + digits
  return text + digits
}

/** Replaces the last character with another one of the alphabet. */
export function withWrongEnd(text: string): string {
  return text.slice(0, -1) + (text.endsWith('x') ? 'y' : 'x')
}

/** Random characters of the alphabet. */
export function base62(length: number): string {
  return [...randomBytes(length)].map((byte) => ALPHABET.charAt(byte % 62)).join('')
}
