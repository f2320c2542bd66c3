import { Hono } from 'hono'
import { ApiError } from '../errors.ts'
import type { App } from '../http/context.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { settleCheck } from './settle-store.ts'
import { stripeIdentity } from './stripe.ts'

/** What Stripe calls. Each check ends once, whatever is repeated, late or out of order. */
export const kycWebhookRoutes = new Hono<App>().post('/kyc/stripe', async (c) => {
  const { db, env, signal, now } = c.var
  const signature = c.req.header('stripe-signature') ?? ''
  const event = await stripeIdentity(env, signal).readEvent(await c.req.text(), signature)
  if (event === 'forged') throw new ApiError('UNAUTHORIZED', 'Stripe-Signature: does not match or is too old')
  if (event === 'other') return c.json({ received: true })
  const { id, state, reason } = event.session
  if (state === 'open' || state === 'processing') return c.json({ received: true })
  const settled = await settleCheck(
    db,
    { session_id: id, ending: { status: state, reason }, provider_event: event.id },
    now(),
  )
  publishFirst(c, settled.deliveries)
  return c.json({ received: true })
})
