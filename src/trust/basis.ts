import { readRows } from './inputs.ts'
import type { Rollup } from './rollup.ts'
import { ALGORITHM_VERSION, scoreAgent, type TrustScore } from './score.ts'
import { WINDOW_DAYS } from './window.ts'

/** A score as it is published. */
export type PublicScore = Omit<TrustScore, 'provisional' | 'confidence'>

/**
 * What the score of an agent is made of on a day, as the database tells it: the rollup rows of its window as
 * `readRows` takes them (null without any), or the score that a snapshot has made of exactly these by this algorithm.
 */
export interface ScoreBasis {
  /** The UTC day `YYYY-MM-DD` of the question, or that of the agent's deactivation. */
  today: string
  score: Omit<PublicScore, 'computation_window_days' | 'algorithm_version'> | null
  rows: string | null
}

/**
 * The score that the basis gives; null when there is too little activity.
 *
 * The score is a pure function of the rows and the day: one that was made of the same is the same, and never stale.
 */
export function scoreOf(basis: ScoreBasis): PublicScore | null {
  if (basis.score) {
    return {
      ...basis.score,
      computation_window_days: WINDOW_DAYS,
      algorithm_version: ALGORITHM_VERSION,
    }
  }
  const score = scoreAgent(rowsOf(basis), basis.today)
  if (!score) return null
  const { provisional, confidence, ...published } = score
  return published
}

/** The rollup rows in the basis; none when it holds a score. */
export function rowsOf({ rows }: ScoreBasis): Rollup[] {
  return rows === null ? [] : readRows(rows)
}
