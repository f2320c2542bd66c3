import { utf8 } from '../../src/lib/crypto.ts'
import { fromHex } from '../../src/lib/ids.ts'
import { isObject, joinBytes, parseObject } from '../../src/transparency/bytes.ts'
import type { components } from '../client/api.ts'

const TOLERANCE_SECONDS = 300
const HMAC = { name: 'HMAC', hash: 'SHA-256' }
const SIGNATURE = /^sha256=([0-9a-f]{64})$/
const TIMESTAMP = /^\d{1,12}$/
const SECRET = /^whsec_./

/** A webhook event; `type` determines the type of its data. */
export type WebhookEvent = components['schemas']['WebhookEvent']

/** Why a webhook is rejected. */
export type WebhookRejection =
  | 'missing_header'
  | 'malformed_header'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_mismatch'
  | 'not_an_event'

export type VerifiedWebhook =
  | { event: WebhookEvent; reason: null }
  | { event: null; reason: WebhookRejection }

/** Request headers of the Fetch API, of Node's `http`, or any record; names are case-insensitive. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

interface Options {
  /** Maximum difference between `X-REG-Timestamp` and the current time. */
  toleranceSeconds?: number
  /** The current time; default: the clock. */
  now?: Date
}

/**
 * Verifies a webhook of the registry in constant time, and parses it. Requires only Web Crypto.
 *
 * @param secret the platform's `whsec_…` secret; several while it is rotated
 * @param rawBody the exact body as received, not parsed and serialized again
 * @returns the event, or null and the reason. Ignore unknown types, as types may be added
 * @throws TypeError when the secret or the body has an invalid form, which is an error of the receiver
 *
 * Source: docs/use/webhooks.md, "Receiving webhooks": `X-REG-Signature` is `sha256=` and the HMAC-SHA-256 of
 * `<timestamp>.<body>` in hex.
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  headers: WebhookHeaders,
  rawBody: string | Uint8Array,
  { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() }: Options = {},
): Promise<VerifiedWebhook> {
  const secrets = requireSecrets(secret)
  const body = bytesOf(rawBody)
  const signature = headerOf(headers, 'x-reg-signature')
  const timestamp = headerOf(headers, 'x-reg-timestamp')
  if (!signature || !timestamp) return reject('missing_header')
  const hex = SIGNATURE.exec(signature)?.[1]
  if (!hex || !TIMESTAMP.test(timestamp)) return reject('malformed_header')
  const age = now.getTime() / 1000 - Number(timestamp)
  if (!(age <= toleranceSeconds)) return reject('timestamp_too_old')
  if (!(age >= -toleranceSeconds)) return reject('timestamp_too_new')
  const signed = joinBytes(utf8(`${timestamp}.`), body)
  if (!(await isSignedByOne(secrets, fromHex(hex), signed))) return reject('signature_mismatch')
  const event = eventOf(body)
  return event ? { event, reason: null } : reject('not_an_event')
}

function reject(reason: WebhookRejection): VerifiedWebhook {
  return { event: null, reason }
}

function requireSecrets(secret: string | readonly string[]): readonly string[] {
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (Array.isArray(secrets) && secrets.length > 0 && secrets.every(isSecret)) return secrets
  throw new TypeError('secret: must be the whsec_… text of the platform, or a list of such')
}

function isSecret(text: unknown): boolean {
  return typeof text === 'string' && SECRET.test(text)
}

function bytesOf(rawBody: string | Uint8Array): Uint8Array {
  if (typeof rawBody === 'string') return utf8(rawBody)
  if (rawBody instanceof Uint8Array) return rawBody
  throw new TypeError('rawBody: must be the body as it came, a string or a Uint8Array, not parsed')
}

function headerOf(headers: WebhookHeaders, name: string): string | null {
  if (typeof headers.get === 'function') return headers.get(name)
  const found = Object.entries(headers).find(([given]) => given.toLowerCase() === name)
  return found?.[1] === undefined ? null : String(found[1])
}

async function isSignedByOne(
  secrets: readonly string[],
  signature: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const secret of secrets) {
    const key = await crypto.subtle.importKey('raw', utf8(secret), HMAC, false, ['verify'])
    if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true
  }
  return false
}

/** The envelope in a body that was signed by us; what its data holds is vouched for by the signature. */
function eventOf(body: Uint8Array): WebhookEvent | null {
  const event = parseObject(new TextDecoder().decode(body))
  const texts = [event?.id, event?.type, event?.created_at]
  const isEvent = texts.every((text) => typeof text === 'string') && isObject(event?.data)
  return isEvent ? (event as unknown as WebhookEvent) : null
}
