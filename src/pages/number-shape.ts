import { checkMatches, REG_PATTERN } from '../lib/agent-number.ts'
import { REG_EXAMPLE } from '../wire/fields.ts'
import { type Html, html } from './html.ts'

/** The agent number that a text is, in capitals; null when it is none by its shape. */
export function readNumber(text: string): string | null {
  const capitals = text.trim().toUpperCase()
  return REG_PATTERN.test(capitals) ? capitals : null
}

/** That a number is mistyped, for one whose check character does not match; null for any other. */
export function mistyped(reg: string): Html | null {
  if (checkMatches(reg)) return null
  return html`<span class="number">${reg}</span> is not the number of any agent: its check character does not match. One of its characters is mistyped. Compare it with the place where you found it.`
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
