import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import type { App } from './context.ts'

const PREFLIGHT_SECONDS = 86_400
const ANY_ORIGIN = '*'
const EXPOSED = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'ETag',
  'Link',
  'X-Request-Id',
]

/** Lets web pages of any origin make public reads and see the headers of their responses. */
export function publicCors() {
  const exposed = EXPOSED.join(',')
  return createMiddleware<App>(async function publicCors(c, next) {
    await next()
    c.res.headers.set('Access-Control-Allow-Origin', ANY_ORIGIN)
    c.res.headers.set('Access-Control-Expose-Headers', exposed)
  })
}

/** Responds to the preflight request that a browser sends before such a read. */
export function preflight() {
  return cors({
    origin: ANY_ORIGIN,
    allowMethods: ['GET', 'HEAD'],
    allowHeaders: ['Authorization', 'If-None-Match'],
    exposeHeaders: EXPOSED,
    maxAge: PREFLIGHT_SECONDS,
  })
}
