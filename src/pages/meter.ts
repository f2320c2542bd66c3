import type { Source } from '../db/enums.ts'
import { NEUTRAL } from '../trust/dimensions.ts'
import { toDecimal } from '../trust/score.ts'
import { type Html, html } from './html.ts'

/** What the score is at most with each kind of evidence: docs/use/trust-score.md. */
const MARKS = [
  [NEUTRAL, 'where every agent starts'],
  [59, 'its limit without outside reports'],
  [77, 'its limit with one outside reporter'],
] as const
type Mark = (typeof MARKS)[number]

const REPORTERS = {
  independent: 'established platforms',
  peer: 'platforms of other verified persons',
  unproven: 'platforms, while the identity of its operator is not known',
  self: 'its operator',
} as const satisfies Record<Source, string>

/**
 * The score on a track from 0 to 100, with the limits of each kind of evidence, and who reported, as text: a second bar
 * would look like a second score.
 *
 * @param overall null for an agent without a score, which has no track
 */
export function meter(overall: number | null, evidence: Readonly<Record<Source, number>>): Html {
  return html`<div class="meter">
${overall !== null && track(overall, marksOf(evidence))}
${reporters(evidence)}
</div>`
}

/** The start, and the limit that the evidence sets. No lower limit is shown, as the score may be above it. */
function marksOf({ peer, independent }: Readonly<Record<Source, number>>): readonly Mark[] {
  const [start, own, others] = MARKS
  if (independent > 0) return [start]
  return [start, peer > 0 ? others : own]
}

function track(overall: number, marks: readonly Mark[]): Html {
  const label = `Trust score ${toDecimal(overall)} of 100; ${marks.map(([at, meaning]) => `${at}: ${meaning}`).join(', ')}`
  return html`<svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="${label}"><rect class="track" width="100" height="10"/><rect class="value" width="${overall}" height="10"/><path d="${marks.map(([at]) => `M${at} 0v10`).join('')}"/></svg>
<p class="hint marks" aria-hidden="true">${marks.map((mark) => html`<span${mark === MARKS[2] && html` class="high"`}><b>${mark[0]}</b> ${mark[1]}</span>`)}</p>`
}

function reporters(evidence: Readonly<Record<Source, number>>): Html | false {
  const present = (Object.keys(REPORTERS) as Source[]).filter((source) => evidence[source] > 0)
  if (present.length === 0) return false
  return html`<p class="hint">Reported by: ${present.map((source) => `${REPORTERS[source]} ${percent(evidence[source])}`).join(', ')}</p>`
}

/** A share in whole percent; a share between 0 and 1 is shown as 1 to 99. */
function percent(share: number): string {
  const whole = Math.round(100 * share)
  return `${share < 1 ? Math.min(99, Math.max(1, whole)) : whole}%`
}
