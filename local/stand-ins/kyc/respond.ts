import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { newId } from './session.ts'

/** Responds with JSON and the headers of Stripe's API. */
export function respond(c: Context, body: object, status: ContentfulStatusCode = 200) {
  const key = c.req.header('idempotency-key')
  return c.json(body, status, {
    'request-id': newId('req'),
    'stripe-version': c.req.header('stripe-version') ?? '',
    ...(key && { 'idempotency-key': key }),
  })
}

/**
 * Responds with an error.
 *
 * Source: https://docs.stripe.com/api/errors
 */
export function reject(c: Context, status: 400 | 401 | 403 | 404, message: string, code?: string) {
  return respond(c, { error: { type: 'invalid_request_error', message, code } }, status)
}
