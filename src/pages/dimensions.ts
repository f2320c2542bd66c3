import { DIMENSIONS, type Dimension, NEUTRAL } from '../trust/dimensions.ts'
import { type TrustScore, toDecimal, WEIGHTS_PERCENT } from '../trust/score.ts'
import { WINDOW_DAYS } from '../trust/window.ts'
import { count, counted, type Html, html } from './html.ts'
import type { Totals } from './reasons.ts'

/** What each dimension measures. */
export const MEANING: Record<Dimension, string> = {
  reliability: 'Share of tasks completed, reduced by downtime',
  accuracy: 'Correctness of outputs',
  safety: 'Inverse of the frequency and severity of faults',
  speed: 'Response times',
  consistency: 'Inverse of the frequency and severity of bad days',
}

/** The dimensions as bars from the middle, the value without evidence: worse to the left, better to the right. */
export function dimensionBars(score: TrustScore, totals: Totals): Html {
  return html`<ul class="bars">${DIMENSIONS.map((name) => {
    const value = score[name]
    const isWorse = value < NEUTRAL
    return html`<li>
<p><b>${name}</b> <span class="hint">${WEIGHTS_PERCENT[name]}%</span></p>
<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="10"/><rect class="${isWorse ? 'worse' : 'better'}" x="${isWorse ? value : NEUTRAL}" width="${toDecimal(Math.abs(value - NEUTRAL))}" height="10"/><path d="M${NEUTRAL} 0v10"/></svg>
<p class="n">${toDecimal(value)}</p>
<p class="hint">${factOf(name, totals)}</p>
</li>`
  })}</ul>`
}

function factOf(name: Dimension, totals: Totals): string {
  const { all, failed, graded, grades, timed, prompt, faults, critical, days, bad_days } = totals
  switch (name) {
    case 'reliability':
      return `${count(failed)} of ${counted(all, 'task')} failed`
    case 'accuracy':
      return graded === 0
        ? 'no task was graded'
        : `${counted(graded, 'graded task')}, mean ${(grades / graded / 1000).toFixed(2)}`
    case 'safety':
      return faults === 0
        ? `no fault in ${WINDOW_DAYS} days`
        : `${counted(faults, 'fault')} in ${WINDOW_DAYS} days${critical > 0 ? `, ${count(critical)} critical` : ''}`
    case 'speed':
      return timed === 0
        ? 'no response time was reported'
        : `${count(prompt)} of ${counted(timed, 'task')} within 2 s`
    case 'consistency':
      return `${counted(bad_days, 'bad day')} of ${count(days)}`
  }
}
