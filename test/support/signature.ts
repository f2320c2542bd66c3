import { createHmac, timingSafeEqual } from 'node:crypto'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'
import { expect, vi } from 'vitest'
import type { Received } from './receiver.ts'

/**
 * Expects a webhook as in docs/use/webhooks.md, "Receiving webhooks": checks its headers, envelope and signature with
 * Node's crypto, and the Standard Webhooks headers with that library.
 *
 * @param at the time of sending, for the tolerance of the library
 */
export function expectSigned(webhook: Received, secret: string, at = new Date()): void {
  const { headers, raw, event } = webhook
  const timestamp = String(headers['x-reg-timestamp'])
  expect(headers['content-type']).toMatch(/^application\/json/)
  expect(headers['x-reg-event']).toBe(event.type)
  expect(timestamp).toMatch(/^\d{10}$/)
  const mac = createHmac('sha256', secret).update(`${timestamp}.${raw}`).digest('hex')
  const given = String(headers['x-reg-signature'])
  expect(given).toMatch(/^sha256=[0-9a-f]{64}$/)
  expect(timingSafeEqual(Buffer.from(`sha256=${mac}`), Buffer.from(given))).toBe(true)

  expect(Object.keys(event).sort()).toEqual(['created_at', 'data', 'id', 'type'])
  expect(event.id).toMatch(/^evt_[0-9a-f]{32}$/)
  expect(new Date(event.created_at).toISOString()).toBe(event.created_at)

  expect(headers['webhook-id']).toBe(event.id)
  expect(acceptedWith(webhook, secret, at)).toBe(true)
}

/** Whether a receiver that uses the Standard Webhooks library accepts a webhook. */
export function acceptedWith({ headers, raw, event }: Received, secret: string, at: Date): boolean {
  vi.useFakeTimers({ toFake: ['Date'], now: at })
  try {
    expect(new Webhook(secret).verify(raw, headers as Record<string, string>)).toEqual(event)
    return true
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false
    throw error
  } finally {
    vi.useRealTimers()
  }
}
