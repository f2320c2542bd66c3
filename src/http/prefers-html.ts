import { accepts } from 'hono/accepts'
import type { Ctx } from './context.ts'

const HTML = 'text/html'
const JSON_TYPE = 'application/json'

interface Range {
  type: string
  q: number
}

/**
 * Whether `Accept` prefers HTML to JSON, as browsers do.
 *
 * Source: RFC 9110, section 12.5.1.
 */
export function prefersHtml(c: Ctx): boolean {
  const match = (ranges: Range[]) => (quality(ranges, HTML) > quality(ranges, JSON_TYPE) ? HTML : JSON_TYPE)
  return accepts(c, { header: 'Accept', supports: [HTML, JSON_TYPE], default: JSON_TYPE, match }) === HTML
}

/** The weight of a type: that of the most specific range that includes it. */
function quality(ranges: Range[], type: string): number {
  const wide = `${type.split('/', 1)[0]}/*`
  for (const range of [type, wide, '*/*']) {
    const found = ranges.find((given) => given.type.toLowerCase() === range)
    if (found) return found.q
  }
  return 0
}
