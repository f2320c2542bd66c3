import { each, SOURCES, type Source } from '../db/enums.ts'
import { DIMENSIONS, type Dimension, type Judgment, judge, type ReadingName } from './dimensions.ts'
import { RISKS, type RiskCode, type RiskDimension, survey } from './risks.ts'
import type { Rollup } from './rollup.ts'
import { type TrustScore, toShare, WEIGHTS_PERCENT } from './score.ts'
import { tallyUp } from './tally.ts'
import type { Window } from './window.ts'

const STEPS = 10_000 // four decimals

/** The evidence of the reading that counts, in tasks. */
interface ExplainedDimension {
  good: number
  bad: number
  reading: ReadingName
  confidence: number
}

export interface Explanation {
  provisional: boolean
  weights: Record<Dimension, number>
  confidence: number
  evidence: Record<Source, number>
  dimensions: Record<Dimension, ExplainedDimension>
  risk_factors: { code: RiskCode; dimension: RiskDimension; message: string }[]
}

/**
 * Explains a score: weights, confidence, shares of the sources, evidence of each dimension, and risk factors.
 *
 * @param score what `scoreWindow` returns for the same window
 * @returns numbers with at most four decimals; risk factors in the order of `RISKS`
 */
export function explain(score: TrustScore, window: Window): Explanation {
  const tallies = tallyUp(window)
  const judged = judge(tallies)
  const found = { score, judged, tallies, openOutages: window.openOutages, ...survey(window) }
  return {
    provisional: score.provisional,
    weights: each(DIMENSIONS, (name) => WEIGHTS_PERCENT[name] / 100),
    confidence: toShare(score.confidence),
    evidence: sharesOf(window.rows),
    dimensions: each(DIMENSIONS, (name) => shown(judged[name])),
    risk_factors: RISKS.flatMap(({ code, dimension, find }) => {
      const message = find(found)
      return message === null ? [] : [{ code, dimension, message }]
    }),
  }
}

/**
 * The share of each source in the events of rows. The shares add up to 1: the largest remainders are rounded up.
 *
 * @returns 0 to 1 with four decimals; all 0 if there are no events
 */
export function sharesOf(rows: readonly Pick<Rollup, 'source' | 'events'>[]): Record<Source, number> {
  const events = each(SOURCES, () => 0)
  for (const row of rows) events[row.source] += row.events
  const all = SOURCES.reduce((sum, source) => sum + events[source], 0)
  if (all === 0) return events
  const exact = (source: Source) => (STEPS * events[source]) / all
  const steps = each(SOURCES, (source) => Math.floor(exact(source)))
  const byRemainder = SOURCES.toSorted((a, b) => exact(b) - steps[b] - (exact(a) - steps[a]))
  const left = SOURCES.reduce((rest, source) => rest - steps[source], STEPS)
  for (const source of byRemainder.slice(0, left)) steps[source] += 1
  return each(SOURCES, (source) => steps[source] / STEPS)
}

function shown({ lowest, confidence }: Judgment): ExplainedDimension {
  const { good, bad } = lowest.claim
  const toFour = (tasks: number) => Math.round(STEPS * tasks) / STEPS
  return { good: toFour(good), bad: toFour(bad), reading: lowest.reading, confidence: toShare(confidence) }
}
