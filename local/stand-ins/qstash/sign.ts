import { createHash, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'

/** The public token of the official development server. */
export const TOKEN = 'eyJVc2VySUQiOiJkZWZhdWx0VXNlciIsIlBhc3N3b3JkIjoiZGVmYXVsdFBhc3N3b3JkIn0='
/** The public signing keys of the official development server. */
export const SIGNING_KEYS = {
  current: 'sig_7kYjw48mhY7kAjqNGcy6cr29RJ6r',
  next: 'sig_5ZB6DVzB1wjE8S6rZ7eenA8Pdnhs',
} as const

const LIFETIME_SECONDS = 300

/**
 * The `Upstash-Signature` of one delivery.
 *
 * Its times are those of the machine even with a virtual clock, because receivers compare them with their own clock.
 *
 * @param url destination as published
 * @param body raw body
 * @param key signing key, used as text
 *
 * Source: QStash documentation, "Verify Signatures": the body hash is base64url with padding.
 */
export function signDelivery(url: string, body: Buffer, key: string): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  const hash = createHash('sha256').update(body).digest('base64')
  return new SignJWT({
    iss: 'Upstash',
    sub: url,
    exp: iat + LIFETIME_SECONDS,
    nbf: iat,
    iat,
    jti: `jwt_${randomUUID().replaceAll('-', '')}`,
    body: hash.replaceAll('+', '-').replaceAll('/', '_'),
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(key))
}
