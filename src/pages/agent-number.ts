import { createMiddleware } from 'hono/factory'
import { ApiError } from '../errors.ts'
import type { App } from '../http/context.ts'
import { REG_PATTERN } from '../lib/agent-number.ts'
import { requireValidNumber } from '../wire/agent-number.ts'
import { REG_EXAMPLE } from '../wire/fields.ts'
import { type Html, html } from './html.ts'

/** The path of an agent's page: what does not begin like a number is no agent's, and rejected as any other address. */
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
  return requireValidNumber(reg)
}

/** The agent number that a text is, in capitals; null when it is none by its shape. */
export function readNumber(text: string): string | null {
  const capitals = text.trim().toUpperCase()
  return REG_PATTERN.test(capitals) ? capitals : null
}

/** What an agent number looks like, and what its last character is for. */
export function numberShape(): Html {
  const [, year, block, number, check] = REG_EXAMPLE.split('-')
  return html`<h2>What an agent number looks like</h2>
<p class="number">${REG_EXAMPLE}</p>
<dl class="facts">
<dt>${year}</dt><dd>the year of its registration</dd>
<dt>${block}-${number}</dt><dd>its block, and its number in the block</dd>
<dt>${check}</dt><dd>the check character: computed from the digits before it, so that a mistyped digit is noticed at once and never leads to another agent</dd>
</dl>`
}
