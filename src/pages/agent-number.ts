import { createMiddleware } from 'hono/factory'
import { ApiError } from '../errors.ts'
import type { App } from '../http/context.ts'
import { checkMatches, REG_PATTERN } from '../lib/agent-number.ts'
import { REG_EXAMPLE } from '../wire/fields.ts'

/** The path of an agent's page: what does not begin like a number is no agent's, and refused as any other address. */
export const AGENT_PATH = '/agents/:reg{[Rr][Ee][Gg]-[^/]+}'

/**
 * Leads a number in small letters to the page of the same in capitals.
 *
 * @param below what follows the number in the path
 */
export function inCapitals(below = '') {
  return createMiddleware<App>(async function inCapitals(c, next) {
    const reg = c.req.param('reg') ?? ''
    const capitals = reg.toUpperCase()
    if (reg === capitals || !REG_PATTERN.test(capitals)) return next()
    return c.redirect(`/agents/${capitals}${below}${new URL(c.req.url).search}`, 308)
  })
}

/**
 * A number that an agent may have: its page is looked up.
 *
 * @throws ApiError NOT_FOUND that says what is wrong with it
 */
export function requireAgentNumber(reg: string): string {
  if (!REG_PATTERN.test(reg)) {
    throw new ApiError('NOT_FOUND', `this is not an agent number: one looks like ${REG_EXAMPLE}`)
  }
  if (!checkMatches(reg)) {
    throw new ApiError(
      'NOT_FOUND',
      `there is no agent ${reg}: its last character is a check of its digits and does not match them, so one of them is mistyped`,
    )
  }
  return reg
}
