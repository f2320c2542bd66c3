import { type ScoreBasis, scoredAt, scoreOf } from '../trust/basis.ts'

/** The scores of an operator's active agents. */
export interface Scores {
  /** Number and sum of the stored scores that are current; `unsettled` are to be computed. */
  scores: number
  score_sum: number
  /** When the newest of them came to be; null without any. */
  scored_at: string | null
  unsettled: readonly ScoreBasis[]
}

/**
 * The mean of the scores of several agents, each as its profile shows it, to one decimal, half up; and when the newest of
 * them came to be.
 *
 * @returns nulls if no agent has a score
 */
export function averageScore({ scores, score_sum, scored_at, unsettled }: Scores) {
  const computed = unsettled.flatMap((basis) => {
    const score = scoreOf(basis)
    return score ? { tenths: Math.round(10 * score.overall), at: scoredAt(basis, score) } : []
  })
  const count = scores + computed.length
  // Summed in tenths: integers, so that the sum is exact.
  const sum = computed.reduce((sum, { tenths }) => sum + tenths, Math.round(10 * score_sum))
  const times = computed.map(({ at }) => at).concat(scored_at ?? [])
  return {
    average_trust_score: count === 0 ? null : Math.round(sum / count) / 10,
    average_trust_score_updated: times.sort().at(-1) ?? null,
  }
}
