import { Hono } from 'hono'
import * as z from 'zod'
import { parseMessage } from '../api/internal.ts'
import { ApiError } from '../errors.ts'
import type { App } from '../http/context.ts'
import { log } from '../lib/log.ts'
import { isGenuine } from '../lib/standard-webhook.ts'
import { isStorable } from '../lib/text.ts'
import { rejectAddresses } from './feedback-store.ts'

const ADDRESSES_MAX = 50 // recipients per mail
const PERMANENT = 'Permanent'

/** A Resend event. Types other than bounces and complaints are accepted and ignored. */
const event = z.object({
  type: z.string(),
  data: z.object({
    to: z.array(z.string().refine(isStorable)).max(ADDRESSES_MAX).default([]),
    bounce: z.object({ type: z.string().optional() }).optional(),
  }),
})

/**
 * Receives Resend's webhooks: after a permanent bounce or a spam complaint, no more mail is sent to the address.
 *
 * Source: https://resend.com/docs/webhooks/event-types, https://resend.com/docs/webhooks/verify-webhooks-requests
 */
export const mailFeedbackRoutes = new Hono<App>().post('/mail/resend', async (c) => {
  const { env, db } = c.var
  const now = c.var.now()
  const body = await c.req.text()
  const header = (name: string) => c.req.header(name) ?? ''
  const message = {
    id: header('svix-id'),
    timestamp: header('svix-timestamp'),
    signature: header('svix-signature'),
    body,
  }
  if (!env.MAIL_WEBHOOK_SECRET || !(await isGenuine(env.MAIL_WEBHOOK_SECRET, message, now))) {
    throw new ApiError('UNAUTHORIZED', 'Svix-Signature: does not match or is too old')
  }
  const { type, data } = parseMessage(event, body)
  const isBounce = type === 'email.bounced' && (data.bounce?.type ?? PERMANENT) === PERMANENT
  if (isBounce || type === 'email.complained') {
    const operators = await rejectAddresses(db, data.to, now)
    if (operators > 0) log('warning', 'mail_bounced', { type, operators })
  }
  return c.json({ received: true })
})
