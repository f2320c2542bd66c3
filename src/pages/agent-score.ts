import { DIMENSIONS, type Dimension, judge } from '../trust/dimensions.ts'
import { type Explanation, explainWindow, sharesOf } from '../trust/explain.ts'
import { hashInputs } from '../trust/inputs.ts'
import type { RiskCode } from '../trust/risks.ts'
import type { Rollup } from '../trust/rollup.ts'
import { MIN_TASKS, scoreOf, type TrustScore, toDecimal, WEIGHTS_PERCENT } from '../trust/score.ts'
import { recordStanding } from '../trust/standing.ts'
import { tallyUp } from '../trust/tally.ts'
import { WINDOW_DAYS, type Window, windowOf } from '../trust/window.ts'
import { capitalized, count, counted, type Html, html, sentence, unbroken } from './html.ts'
import { meter } from './meter.ts'
import { BASIS, MEANING, RAISED_BY } from './reasons.ts'

const REPORTERS = {
  self: 'its operator',
  unproven: 'platforms, while the identity of its operator is not known',
  peer: 'platforms of other verified persons',
  independent: 'established platforms',
} as const

/** Reasons of danger, which stand before all others. */
const URGENT = new Set<RiskCode>(['SAFETY_RECENT_CRITICAL', 'RELIABILITY_OUTAGE'])

/** The score of an agent with its explanation, as in the API. */
export type Judged = Awaited<ReturnType<typeof judgeAgent>>

/**
 * Computes and explains the score of an agent.
 *
 * @param rows rollup rows; days outside the window are ignored
 * @param today the last UTC day of the window, `YYYY-MM-DD`
 */
export async function judgeAgent(rows: readonly Rollup[], today: string, openOutages: number) {
  const window = windowOf(rows, today, openOutages)
  const missing = Math.max(0, MIN_TASKS - window.tasks)
  const judged = missing === 0 ? explained(window) : { score: null, explained: null }
  return {
    ...judged,
    missing,
    tasks: window.tasks,
    standing: recordStanding(rows, today, judged.score),
    events: window.events,
    evidence: judged.explained?.evidence ?? sharesOf(window.rows),
    sha256: await hashInputs(window.rows, openOutages),
  }
}

/** `scoreAgent` and `explain` in one pass over the rows. */
function explained(window: Window) {
  const tallies = tallyUp(window)
  const judged = judge(tallies)
  const score = scoreOf(window, judged)
  return { score, explained: explainWindow({ score, window, tallies, judged }) }
}

/** The score at the top of the page, with its evidence and the open incidents. */
export function scoreBox({ score, missing, events, evidence }: Judged, openIncidents: number): Html {
  const sources = (['independent', 'peer', 'unproven', 'self'] as const).filter(
    (source) => evidence[source] > 0,
  )
  const reported = sources.map((source) => `${REPORTERS[source]} ${percent(evidence[source])}`).join(', ')
  return html`<div class="verdict">
${
  score
    ? html`<p class="hint">Trust score</p>
<p class="score">${toDecimal(score.overall)} <small>/ 100</small></p>
${meter(score.overall, evidence)}
${score.provisional && html`<p><span class="tag warn">provisional</span> <span class="hint">little evidence so far</span></p>`}`
    : html`<p class="score none">No score yet</p>
<p>${counted(missing, 'more task')}</p>`
}
${openIncidents > 0 && html`<p><a class="warn" href="#incidents">${counted(openIncidents, 'open incident')}</a></p>`}
<p class="hint">${counted(events, 'event')} in ${WINDOW_DAYS} days${reported && html`<br>reported by: ${reported}`}</p>
</div>`
}

/** The explanation of the score, and how to recompute it. */
export function whySection(judged: Judged, { reg, baseUrl }: { reg: string; baseUrl: string }): Html {
  const { score, explained, missing, sha256 } = judged
  return html`<section aria-labelledby="why">
<h2 id="why">${score ? 'Why this score' : 'Why there is no score'}</h2>
${
  score && explained
    ? html`${reasons(explained, score)}${bars(explained, score)}`
    : html`<p>A score requires ${MIN_TASKS} tasks within ${WINDOW_DAYS} days. Missing: ${counted(missing, 'task')}.</p>`
}
<details><summary>Compute it yourself</summary>
<p>The score is a pure function of <a href="/api/v1/agents/${reg}/trust-score/inputs">these rows</a>, one for each day and source of reports. This <a href="/docs/api#packages">command</a> fetches the rows, computes the score, and compares it:</p>
<pre class="wrap"><code>${unbroken(`agentreg verify ${reg} --score --base-url ${baseUrl}`)}</code></pre>
<p class="hint">SHA-256 of the inputs: <code class="wrap">${sha256}</code></p>
</details>
</section>`
}

function reasons({ risk_factors }: Explanation, score: TrustScore): Html {
  const [best, worst] = [extreme(score, 1), extreme(score, -1)]
  const isUrgent = ({ code }: Explanation['risk_factors'][number]) => URGENT.has(code)
  const ordered = [...risk_factors.filter(isUrgent), ...risk_factors.filter((risk) => !isUrgent(risk))]
  return html`${
    risk_factors.length === 0
      ? html`<p><span class="good">✓</span> None of the known risks applies.</p>`
      : html`<ul class="reasons">${ordered.map(
          ({ code, dimension, message }) =>
            html`<li><p>${dimension === 'overall' ? sentence(message) : `${capitalized(dimension)}: ${sentence(message)}`}</p><p class="hint"><code>${code}</code> · would raise the score: ${RAISED_BY[code]}</p></li>`,
        )}</ul>`
  }
<p>${
    best === worst
      ? html`All five dimensions are at ${toDecimal(score[best])}.`
      : html`The highest dimension is ${best} (${toDecimal(score[best])}), the lowest ${worst} (${toDecimal(score[worst])}).`
  }</p>`
}

/** The dimension with the highest (1) or lowest (-1) value; the first of equal ones. */
function extreme(score: TrustScore, sign: 1 | -1): Dimension {
  return DIMENSIONS.reduce((found, next) => (sign * (score[next] - score[found]) > 0 ? next : found))
}

function bars({ dimensions }: Explanation, score: TrustScore): Html {
  return html`<ul class="bars">${DIMENSIONS.map((name) => {
    const { good, bad, reading } = dimensions[name]
    return html`<li>
<p><b>${name}</b> <span class="hint">${WEIGHTS_PERCENT[name]}%</span></p>
<svg class="bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="1"/><rect class="value" width="${score[name]}" height="1"/></svg>
<p class="n">${toDecimal(score[name])}</p>
<p class="hint">${MEANING[name]}. ${good + bad === 0 ? 'No evidence so far.' : BASIS[reading](`${tasks(good)} good and ${tasks(bad)} bad tasks`)}</p>
</li>`
  })}</ul>`
}

function tasks(evidence: number): string {
  return count(Math.round(evidence * 10) / 10)
}

/** A share in whole percent; a share between 0 and 1 is shown as 1 to 99. */
function percent(share: number): string {
  const whole = Math.round(100 * share)
  return `${share < 1 ? Math.min(99, Math.max(1, whole)) : whole}%`
}
