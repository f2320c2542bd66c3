import { createHmac, timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { Arrival } from './receiver.ts'

const TOLERANCE_SECONDS = 300

/**
 * Whether the header of this service holds: `X-REG-Signature` is `sha256=` and the HMAC-SHA-256, in hexadecimal, of
 * `<X-REG-Timestamp>.<body>` under the whole `whsec_…` text, and the timestamp is not older than five minutes.
 *
 * Source: interface, section 6.2
 */
export function ownSignatureHolds(secret: string, { headers, body }: Arrival): boolean {
  const timestamp = String(headers['x-reg-timestamp'])
  const given = Buffer.from(String(headers['x-reg-signature']))
  const hex = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  const expected = Buffer.from(`sha256=${hex}`)
  const fresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_SECONDS
  return fresh && given.length === expected.length && timingSafeEqual(given, expected)
}

/** Whether the headers of Standard Webhooks hold, as that project's own package judges. */
export function standardSignatureHolds(secret: string, { headers, body }: Arrival): boolean {
  try {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
    new Webhook(secret).verify(body, Object.fromEntries(names.map((name) => [name, String(headers[name])])))
    return true
  } catch {
    return false
  }
}
