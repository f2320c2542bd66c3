import { accepts } from 'hono/accepts'
import type { Ctx } from './context.ts'

const HTML = 'text/html'
const JSON_TYPE = 'application/json'

/**
 * Whether `Accept` prefers HTML to JSON, as browsers do; the range of all types prefers neither.
 *
 * Source: RFC 9110, section 12.5.1.
 */
export function prefersHtml(c: Ctx): boolean {
  return accepts(c, { header: 'Accept', supports: [HTML, JSON_TYPE], default: JSON_TYPE }) === HTML
}
