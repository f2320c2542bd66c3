import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** The body of a webhook. */
export interface Envelope {
  id: string
  type: string
  created_at: string
  data: Record<string, unknown>
}

/** Creates a random secret. */
export function makeSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64')
}

/**
 * The headers of a webhook: those of the registry, and those of Standard Webhooks.
 *
 * @param secret the whole `whsec_…` text
 * @param body the exact text of the body
 *
 * Source: docs/use/webhooks.md, "Receiving webhooks".
 */
export function signedHeaders(
  secret: string,
  { id, type }: Pick<Envelope, 'id' | 'type'>,
  body: string,
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const own = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  const bytes = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const standard = createHmac('sha256', bytes).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'Content-Type': 'application/json',
    'X-REG-Signature': `sha256=${own}`,
    'X-REG-Timestamp': timestamp,
    'X-REG-Event': type,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standard}`,
  }
}
