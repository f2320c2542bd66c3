import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { newId } from './session.ts'

/** An error of Stripe's API. */
export interface StripeError {
  status: ContentfulStatusCode
  type: 'invalid_request_error' | 'idempotency_error'
  message: string
  code?: string
  param?: string
}

/** Responds with JSON and the headers of Stripe's API. */
export function respond(c: Context, body: unknown, status: ContentfulStatusCode = 200, more = {}) {
  const key = c.req.header('idempotency-key')
  return c.body(JSON.stringify(body, null, 2), status, {
    'content-type': 'application/json',
    'request-id': newId('req'),
    'stripe-version': c.req.header('stripe-version') ?? '2026-10-28.endive',
    ...(key && { 'idempotency-key': key }),
    ...more,
  })
}

/**
 * Responds with an error.
 *
 * Source: https://docs.stripe.com/api/errors
 */
export function reject(c: Context, { status, ...error }: StripeError) {
  const doc_url = error.code && `https://docs.stripe.com/error-codes/${error.code.replaceAll('_', '-')}`
  return respond(c, { error: { ...error, ...(doc_url && { doc_url }) } }, status)
}
