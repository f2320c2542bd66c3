import { fromBase64, hasSignature, toBase64 } from './crypto.ts'

const TOLERANCE_SECONDS = 300
const VERSION = 'v1,'
const SECONDS = /^\d{1,12}$/

/** A signed message: the values of its headers, and its raw body. */
interface SignedMessage {
  id: string
  /** Unix time in seconds, as text. */
  timestamp: string
  /** Signatures separated by spaces, one for each current secret. */
  signature: string
  body: string
}

/**
 * Whether a webhook was signed with the secret within the last five minutes. More than eight signatures are rejected.
 *
 * @param secret `whsec_` and the key in base64
 * @param now the receiver's time
 *
 * Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function isGenuine(
  secret: string,
  { id, timestamp, signature, body }: SignedMessage,
  now: Date,
): Promise<boolean> {
  if (!id || !SECONDS.test(timestamp)) return false
  if (Math.abs(now.getTime() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false
  const signatures = signature
    .split(' ')
    .flatMap((one) => (one.startsWith(VERSION) ? one.slice(VERSION.length) : []))
  const key = fromBase64(secret.slice('whsec_'.length))
  return hasSignature(signatures, key, `${id}.${timestamp}.${body}`, toBase64)
}
