import type { Standing } from '../db/enums.ts'
import { DIMENSIONS } from '../trust/dimensions.ts'
import { explain, sharesOf } from '../trust/explain.ts'
import { hashInputs } from '../trust/inputs.ts'
import type { Rollup } from '../trust/rollup.ts'
import { MIN_TASKS, scoreWindow, toDecimal } from '../trust/score.ts'
import { recordStanding } from '../trust/standing.ts'
import { WINDOW_DAYS, windowOf } from '../trust/window.ts'
import { dimensionBars, MEANING } from './dimensions.ts'
import { capitalized, counted, type Html, html, sentence, unbroken } from './html.ts'
import { meter } from './meter.ts'
import { reasonsOf, totalsOf } from './reasons.ts'

/** Why the record of an agent no longer matters. */
const ENDED: Partial<Record<Standing, string>> = {
  suspended: 'The registry has suspended its operator: its record no longer matters',
  deactivated: 'It accepts no more events; its score is that of its last day',
}

/** The score of an agent with its explanation, as in the API. */
type Judged = Awaited<ReturnType<typeof judgeAgent>>

/**
 * Computes and explains the score of an agent.
 *
 * @param rows rollup rows; days outside the window are ignored
 * @param today the last UTC day of the window, `YYYY-MM-DD`
 */
export async function judgeAgent(rows: readonly Rollup[], today: string, openOutages: number) {
  const window = windowOf(rows, today, openOutages)
  const score = scoreWindow(window)
  const explained = score && explain(score, window)
  return {
    score,
    explained,
    tasks: window.tasks,
    totals: totalsOf(window.rows),
    standing: recordStanding(window, score),
    events: window.events,
    evidence: sharesOf(window.rows),
    sha256: await hashInputs(window.rows, openOutages),
  }
}

/** The score on its meter, and who reported what it is computed from. */
export function scorePanel(
  { score, tasks, events, evidence }: Judged,
  { standing, open, incidents }: { standing: Standing; open: number; incidents: string },
): Html {
  const isPast = standing in ENDED
  return html`<div${isPast && html` class="past"`}>
${
  score
    ? html`<p><span class="hint">${isPast ? 'Last trust score' : 'Trust score'}</span> <span class="score">${toDecimal(score.overall)}<small> / 100</small></span>${score.provisional && html` <span class="tag warn">provisional</span> <span class="hint">little evidence so far</span>`}</p>`
    : html`<div class="row">${tasks > 0 && ring(tasks)}<p><b>No score yet</b><br><span class="hint">${tasks} of ${MIN_TASKS} tasks</span></p></div>`
}
${meter(isPast ? null : (score?.overall ?? null), evidence)}
<p class="hint">${counted(events, 'event')} in ${WINDOW_DAYS} days${open > 0 && html` · <a class="warn" href="${incidents}">${counted(open, 'open incident')}</a>`}</p>
</div>`
}

/** How many of the tasks that a score requires there are. */
function ring(tasks: number): Html {
  return html`<svg class="ring" viewBox="0 0 36 36" role="img" aria-label="${tasks} of ${MIN_TASKS} tasks"><circle cx="18" cy="18" r="15"/><circle class="part" cx="18" cy="18" r="15" pathLength="${MIN_TASKS}" stroke-dasharray="${tasks} ${MIN_TASKS}"/></svg>`
}

interface WhyFacts {
  reg: string
  baseUrl: string
  standing: Standing
  /** Open incidents. */
  open: number
  /** Whether a person behind the operator is known to the registry. */
  isIdentified: boolean
}

/** The strongest reasons and the dimensions, with the explanation of the score and how to recompute it. */
export function whySection(judged: Judged, { reg, baseUrl, standing, ...known }: WhyFacts): Html {
  const { score, explained, totals } = judged
  const ended = ENDED[standing]
  return html`<section aria-labelledby="why">
<h2 id="why">${score ? 'Why' : 'Why there is no score'}</h2>
${
  score && explained
    ? html`<ul class="reasons">${(
        ended ? [{ isGood: false, text: ended }] : reasonsOf(explained, score, { ...totals, ...known })
      ).map(
        ({ isGood, text }) =>
          html`<li class="${isGood ? 'good' : 'warn'}"><span aria-hidden="true">${isGood ? '✓' : '!'}</span> <b>${text}</b></li>`,
      )}</ul>
${!ended && dimensionBars(score, totals)}`
    : html`<p>A score requires ${MIN_TASKS} tasks within ${WINDOW_DAYS} days.</p>`
}
<details><summary>How this is computed</summary>
${score && ended && dimensionBars(score, totals)}
${explained && computation(explained)}
<p>The score is a pure function of <a href="/api/v1/agents/${reg}/trust-score/inputs">these rows</a>, one for each day and source of reports. This <a href="/docs/api#packages">command</a> fetches the rows, computes the score, and compares it:</p>
<pre class="wrap"><code>${unbroken(`agentreg verify ${reg} --score --base-url ${baseUrl}`)}</code></pre>
<p class="hint">SHA-256 of the inputs: <code class="wrap">${judged.sha256}</code></p>
</details>
</section>`
}

/** The risk factors with their codes, and what each dimension measures. */
function computation({ risk_factors }: NonNullable<Judged['explained']>): Html {
  return html`${
    risk_factors.length === 0
      ? html`<p>None of the known risks applies.</p>`
      : html`<ul class="risks">${risk_factors.map(
          ({ code, dimension, message }) =>
            html`<li><p>${dimension === 'overall' ? sentence(message) : `${capitalized(dimension)}: ${sentence(message)}`}</p><p class="hint"><code>${code}</code></p></li>`,
        )}</ul>`
  }
<dl>${DIMENSIONS.map((name) => html`<dt>${capitalized(name)}</dt><dd>${MEANING[name]}.</dd>`)}</dl>`
}
