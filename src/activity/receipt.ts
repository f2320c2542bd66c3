import * as z from 'zod'
import type { Ctx } from '../http/context.ts'
import { idempotencyHeaders } from '../idempotency/request.ts'
import { type ReceiptEvent, type ReceiptPart, signReceipt } from '../transparency/receipt.ts'
import { tokenKeysOf } from '../verify/token-keys.ts'
import type { SettledItem } from './batch.ts'

const PREFERENCE = 'return=receipt'
const ASKED = /(?:^|,)\s*return\s*=\s*(?:receipt|"receipt")\s*(?:[,;]|$)/i

/** The headers of a report. Source: RFC 7240. */
export const reportHeaders = idempotencyHeaders.extend({
  prefer: z
    .string()
    .optional()
    .register(z.globalRegistry, {
      description: `With \`${PREFERENCE}\`, the response has a signed receipt (RFC 7240)`,
      example: PREFERENCE,
    }),
})

/**
 * Signs a receipt for the stored events of a report, if the request asks for one, something was stored, and the registry
 * can keep the promise: it signs tokens, and has a log.
 *
 * @returns an object with `receipt`, or an empty one
 */
export async function receiptOf(c: Ctx, items: readonly SettledItem[], isBatch: boolean) {
  if (!ASKED.test(c.req.header('prefer') ?? '')) return {}
  const env = c.get('env')
  const [key] = await tokenKeysOf(env)
  const parts = partsOf(items)
  if (!key || !env.LOG_KEY || parts.length === 0) return {}
  c.header('Preference-Applied', PREFERENCE)
  return { receipt: await signReceipt(env.BASE_URL, parts, isBatch, key) }
}

/** The stored events by agent, as they were reported: a later redaction does not change a receipt. */
function partsOf(items: readonly SettledItem[]): ReceiptPart[] {
  const parts = new Map<string, ReceiptPart & { events: ReceiptEvent[] }>()
  for (const item of items) {
    if ('rejection' in item) continue
    const { event_type, severity, metadata } = item.input
    const { reg, id, source, platform, created_at, last_seq } = item
    const event = { id, event_type, severity, metadata, created_at, source, platform }
    const own = parts.get(reg)
    if (own) own.events.push(event)
    else parts.set(reg, { reg, last_seq, events: [event] })
  }
  return [...parts.values()]
}
