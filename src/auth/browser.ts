import { accepts } from 'hono/accepts'
import { createMiddleware } from 'hono/factory'
import type { App, Ctx } from '../http/context.ts'
import { refusedPage, signedInPage } from './page.ts'

const HTML = 'text/html'
const JSON_TYPE = 'application/json'

interface Range {
  type: string
  q: number
}

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

function prefersHtml(c: Ctx): boolean {
  const match = (ranges: Range[]) => (quality(ranges, HTML) > quality(ranges, JSON_TYPE) ? HTML : JSON_TYPE)
  return accepts(c, { header: 'Accept', supports: [HTML, JSON_TYPE], default: JSON_TYPE, match }) === HTML
}

/** How much a type is wanted: the weight of the most specific range that it is in. */
function quality(ranges: Range[], type: string): number {
  const wide = `${type.split('/', 1)[0]}/*`
  for (const range of [type, wide, '*/*']) {
    const found = ranges.find((given) => given.type.toLowerCase() === range)
    if (found) return found.q
  }
  return 0
}
