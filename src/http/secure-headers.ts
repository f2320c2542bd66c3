import { createMiddleware } from 'hono/factory'
import type { App } from './context.ts'

// A response is data: shown as a page, it may load, run and frame nothing, and it is what its type says.
const DEFAULTS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}
const HSTS = `max-age=${365 * 86_400}`

/**
 * Puts the headers that bind browsers on every response of the Worker; a page's own policy stays. The static files have
 * theirs in `src/docs/_headers`.
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
