import type { RecordStanding } from '../db/enums.ts'
import { readRows } from './inputs.ts'
import type { Rollup } from './rollup.ts'
import { ALGORITHM_VERSION, scoreWindow, type TrustScore } from './score.ts'
import { recordStanding } from './standing.ts'
import { WINDOW_DAYS, windowOf } from './window.ts'

/** A score as it is published. */
type PublicScore = Omit<TrustScore, 'provisional' | 'confidence'>

/** The score of a snapshot, as it is kept with the agent. */
export type KeptScore = Omit<PublicScore, 'computation_window_days' | 'algorithm_version'> & {
  standing: RecordStanding
}

/** What the score of an agent on a day is computed from, as the database returns it. */
export type ScoreBasis = {
  /** The current UTC day `YYYY-MM-DD`, or the day of the agent's deactivation. */
  today: string
  /** Whether a critical incident is open. */
  open_critical: boolean
} & (
  | {
      /** The score that a snapshot computed from the same rows on the same day. */
      score: KeptScore
      /** Since when the overall score has this value. */
      since: string
    }
  | {
      score: null
      /** The rollup rows of its window in the format of `readRows`; null if there are none. */
      rows: string | null
      /** See `scoreAgent`. */
      open_outages: number
      /** The overall score that was stored last, and since when it had this value; null if there is none. */
      stored: { overall: number; since: string } | null
      /** When rows or day last changed: the time of the last event, or the start of the day if that is later. */
      changed_at: string
    }
)

/**
 * The score of the basis; null if there is too little activity.
 *
 * The score is a pure function of the rows and the day, so that a stored score of the same rows and day is never stale.
 */
export function scoreOf(basis: ScoreBasis): PublicScore | null {
  return recordOf(basis).score
}

/** The score of the basis, and the standing that follows from the same rows. */
export function recordOf(basis: ScoreBasis): { score: PublicScore | null; standing: RecordStanding } {
  if (basis.score) {
    const { standing, ...score } = basis.score
    const constants = { computation_window_days: WINDOW_DAYS, algorithm_version: ALGORITHM_VERSION }
    return { score: { ...score, ...constants }, standing }
  }
  const window = windowOf(rowsOf(basis), basis.today, basis.open_outages)
  const score = scoreWindow(window)
  const standing = recordStanding(window, score)
  if (!score) return { score, standing }
  const { provisional, confidence, ...published } = score
  return { score: published, standing }
}

/** The time at which the overall score of the basis came to be. */
export function scoredAt(basis: ScoreBasis, { overall }: Pick<PublicScore, 'overall'>): string {
  if (basis.score) return basis.since
  return basis.stored?.overall === overall ? basis.stored.since : basis.changed_at
}

/** The rollup rows in the basis; empty if it contains a score instead. */
export function rowsOf(basis: ScoreBasis): Rollup[] {
  return basis.score || basis.rows === null ? [] : readRows(basis.rows)
}
