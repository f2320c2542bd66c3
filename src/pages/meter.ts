import type { Source } from '../db/enums.ts'
import { NEUTRAL } from '../trust/dimensions.ts'
import { toDecimal } from '../trust/score.ts'
import { type Html, html } from './html.ts'

/** What the score is at most with each kind of evidence: docs/trust-score.md. */
const MARKS = [
  [NEUTRAL, 'no evidence'],
  [59, 'own word at most'],
  [77, 'one platform at most'],
] as const

/** The score on a track from 0 to 100, with the limits of each kind of evidence, and a bar of who reported. */
export function meter(overall: number, evidence: Readonly<Record<Source, number>>): Html {
  const label = `Trust score ${toDecimal(overall)} of 100; ${MARKS.map(([at, meaning]) => `${at}: ${meaning}`).join(', ')}`
  let x = 0
  const parts = (['independent', 'peer', 'unproven', 'self'] as const).map((source) => {
    const width = 100 * evidence[source]
    x += width
    return width > 0 && html`<rect class="of-${source}" x="${x - width}" width="${width}" height="1"/>`
  })
  return html`<div class="meter">
<svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${label}"><rect class="track" width="100" height="10"/><rect class="value" width="${overall}" height="10"/><path d="${MARKS.map(([at]) => `M${at} 0v10`).join('')}"/></svg>
<p class="hint" aria-hidden="true">${MARKS.map(([at, meaning]) => html`<span><b>${at}</b> ${meaning}</span>`)}</p>
<svg class="who" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>
</div>`
}
