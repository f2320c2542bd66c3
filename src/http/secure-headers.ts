import { createMiddleware } from 'hono/factory'
import type { App } from './context.ts'

// Responses are data: a browser that shows one as a page must not load, run, or frame anything, or guess its type.
const DEFAULTS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}
const HSTS = `max-age=${365 * 86_400}`

/**
 * Sets the security headers for browsers on every response of the Worker; headers that a page has set are kept. Those
 * of the static files are in `src/ui/_headers`.
 *
 * Source: RFC 6797, section 7.2: HSTS over https only.
 */
export function secureHeaders() {
  return createMiddleware<App>(async function secureHeaders(c, next) {
    await next()
    const { headers } = c.res
    for (const [name, value] of Object.entries(DEFAULTS)) if (!headers.has(name)) headers.set(name, value)
    if (c.req.url.startsWith('https:')) headers.set('Strict-Transport-Security', HSTS)
  })
}
