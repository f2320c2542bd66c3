import type { Ctx } from './context.ts'

/** The request header that says how a browser uses the response; programs do not send `navigate`. */
export const FETCH_MODE = 'Sec-Fetch-Mode'

/**
 * Whether a browser will show the response to a person as a page.
 *
 * Source: Fetch Metadata Request Headers, section 2.2.
 */
export function isNavigation(c: Ctx): boolean {
  return c.req.header(FETCH_MODE) === 'navigate'
}
