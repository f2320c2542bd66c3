import { fromBase64, hmacSha256, toBase64, utf8 } from './crypto.ts'
import { toHex } from './ids.ts'

/** Binds an encrypted webhook secret to its purpose, so that no other encrypted text can take its place. */
export const WEBHOOK_SECRET_PURPOSE = 'webhook-secret'

const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A new webhook secret: `whsec_` and 32 random bytes in base64. */
export function makeWebhookSecret(): string {
  return SECRET_PREFIX + toBase64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
}

/** The secrets to sign with, newest first: two for 24 hours after a rotation, otherwise one. */
export type LiveSecrets = readonly [newest: string, ...older: string[]]

/**
 * The headers of one attempt: the interface's own and those of Standard Webhooks.
 *
 * @param secrets the `whsec_…` texts. The key of `X-REG-Signature` is the UTF-8 text of the newest one;
 * `webhook-signature` has one value per secret, whose key is the decoded base64 after the prefix
 * @param event id (`evt_…`) and type of the event
 * @param body the exact text that is sent
 * @param now the time of this attempt
 *
 * Source: docs/use/webhooks.md, "Receiving webhooks"; Standard Webhooks, "Signature scheme".
 */
export async function signatureHeaders(
  secrets: LiveSecrets,
  event: { id: string; type: string },
  body: string,
  now: Date,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const own = await hmacSha256(utf8(secrets[0]), `${timestamp}.${body}`)
  const standard = await Promise.all(
    secrets.map((secret) =>
      hmacSha256(fromBase64(secret.slice(SECRET_PREFIX.length)), `${event.id}.${timestamp}.${body}`),
    ),
  )
  return {
    'X-REG-Signature': `sha256=${toHex(own)}`,
    'X-REG-Timestamp': timestamp,
    'X-REG-Event': event.type,
    'webhook-id': event.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': standard.map((signature) => `v1,${toBase64(signature)}`).join(' '),
  }
}
