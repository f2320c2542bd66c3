import { cors } from 'hono/cors'

const PREFLIGHT_SECONDS = 86_400

/** Lets web pages of any origin make public reads, and see what an answer says of itself. */
export function publicCors() {
  return cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD'],
    allowHeaders: ['Authorization', 'If-None-Match'],
    exposeHeaders: [
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Retry-After',
      'ETag',
      'Link',
      'X-Request-Id',
    ],
    maxAge: PREFLIGHT_SECONDS,
  })
}
