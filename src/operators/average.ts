import { type ScoreBasis, scoreOf } from '../trust/basis.ts'

/** The scores of an operator's active agents. */
export interface Scores {
  /** Number and sum of the stored scores that are current; `unsettled` are to be computed. */
  scores: number
  score_sum: number
  unsettled: readonly ScoreBasis[]
}

/**
 * The mean of the scores of several agents, each as its profile shows it, to one decimal, half up.
 *
 * @returns null if no agent has a score
 */
export function averageScore({ scores, score_sum, unsettled }: Scores): number | null {
  const computed = unsettled.flatMap((basis) => scoreOf(basis)?.overall ?? [])
  const count = scores + computed.length
  if (count === 0) return null
  // Summed in tenths: integers, so that the sum is exact.
  const tenths = computed.reduce((sum, overall) => sum + Math.round(10 * overall), Math.round(10 * score_sum))
  return Math.round(tenths / count) / 10
}
