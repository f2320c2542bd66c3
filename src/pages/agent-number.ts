import { createMiddleware } from 'hono/factory'
import { ApiError } from '../errors.ts'
import type { App } from '../http/context.ts'
import { REG_PATTERN } from '../lib/agent-number.ts'
import { requireValidNumber } from '../wire/agent-number.ts'
import { REG_EXAMPLE } from '../wire/fields.ts'
import { type Html, html } from './html.ts'

/** The route of an agent's page. Only paths that begin like an agent number match; others get the general 404. */
export const AGENT_PATH = '/agents/:reg{[Rr][Ee][Gg]-[^/]+}'

/** A link of an agent's page, in upper case. */
const LINK = /^HTTPS?:\/\/[^/]+\/AGENTS\/(REG-[\w-]+)(?:[/?#].*)?$/

/**
 * Redirects an agent number in lower case to the same page in upper case.
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
 * Requires a valid agent number.
 *
 * @throws ApiError NOT_FOUND with what is wrong with the number
 */
export function requireAgentNumber(reg: string): string {
  if (!REG_PATTERN.test(reg)) {
    throw new ApiError('NOT_FOUND', `this is not an agent number; agent numbers look like ${REG_EXAMPLE}`)
  }
  return requireValidNumber(reg)
}

/** Reads a text as an agent number or a link of an agent's page, in upper case; null if it has neither shape. */
export function readNumber(text: string): string | null {
  const capitals = text.trim().toUpperCase().replace(LINK, '$1')
  return REG_PATTERN.test(capitals) ? capitals : null
}

/** An explanation of the parts of an agent number. */
export function numberShape(): Html {
  const [, year, block, number, check] = REG_EXAMPLE.split('-')
  return html`<h2>What an agent number looks like</h2>
<p class="number">${REG_EXAMPLE}</p>
<dl class="facts">
<dt>${year}</dt><dd>the year of its registration</dd>
<dt>${block}-${number}</dt><dd>its block, and its number in the block</dd>
<dt>${check}</dt><dd>the check character: computed from the digits before it, so that a mistyped number is detected and does not lead to another agent</dd>
</dl>`
}
