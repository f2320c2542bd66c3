import { createMiddleware } from 'hono/factory'
import type { App } from '../http/context.ts'
import { prefersHtml } from '../http/prefers-html.ts'
import { refusedPage, signedInPage } from './page.ts'

const JSON_TYPE = 'application/json'

/**
 * Shows a person what a program gets as JSON: when `Accept` prefers HTML, the answer becomes a page with the same
 * status and headers.
 *
 * Source: RFC 9110, section 12.5.1.
 */
export function browserPages() {
  return createMiddleware<App>(async function browserPages(c, next) {
    await next()
    c.res.headers.append('Vary', 'Accept')
    if (!c.res.headers.get('content-type')?.startsWith(JSON_TYPE) || !prefersHtml(c)) return
    const answer = await c.res.json()
    const nonce = crypto.randomUUID()
    const { text, headers } = c.res.ok
      ? signedInPage(answer as Parameters<typeof signedInPage>[0], nonce)
      : refusedPage((answer as { error: Parameters<typeof refusedPage>[0] }).error, nonce)
    c.res = new Response(text, { status: c.res.status, headers }) // Hono carries the other headers over
  })
}
