import { createHmac, timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import type { Arrival } from './receiver.ts'

const TOLERANCE_SECONDS = 300

/**
 * Verifies `X-REG-Signature`: `sha256=` and the hexadecimal HMAC-SHA-256 of `<X-REG-Timestamp>.<body>`, keyed with the
 * whole `whsec_…` text. The timestamp may differ from the current time by at most five minutes.
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

/** Verifies the headers of Standard Webhooks with the package of that project. */
export function standardSignatureHolds(secret: string, { headers, body }: Arrival): boolean {
  try {
    const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
    new Webhook(secret).verify(body, Object.fromEntries(names.map((name) => [name, String(headers[name])])))
    return true
  } catch {
    return false
  }
}
