import { Hono } from 'hono'
import { ApiError } from '../errors.ts'
import type { App } from '../http/context.ts'
import { publishAfterResponse } from '../webhooks/outbox/publish.ts'
import { settle, settleVerified } from './settle.ts'
import { findCheck } from './settle-store.ts'
import { stripeIdentity } from './stripe.ts'

/** Receives Stripe's webhooks. Each session is settled once, even if its events are repeated, late, or out of order. */
export const kycWebhookRoutes = new Hono<App>().post('/kyc/stripe', async (c) => {
  const { db, env, signal } = c.var
  const now = c.var.now()
  const provider = stripeIdentity(env, signal)
  const event = await provider.readEvent(await c.req.text(), c.req.header('stripe-signature') ?? '')
  if (event === 'forged') throw new ApiError('UNAUTHORIZED', 'Stripe-Signature: invalid or too old')
  if (event === 'other') return c.json({ received: true })
  const { id, state, reason } = event
  if (state === 'verified') {
    const settled = await settleVerified({ db, provider, env, now }, { id, check: findCheck(db, id) })
    publishAfterResponse(c, settled?.deliveries ?? null)
  }
  if (state === 'failed' || state === 'canceled')
    await settle(db, { id, check: findCheck(db, id) }, () => ({ status: state, reason }), now)
  return c.json({ received: true })
})
