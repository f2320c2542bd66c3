import { type ScoreBasis, scoredAt, scoreOf } from './basis.ts'
import { toDecimal } from './score.ts'

/** The overall score as a decimal text, and the time at which it came to be. */
export interface ShownScore {
  trust_score_overall: string | null
  trust_score_updated: string | null
}

/** What is shown of an agent with too little activity for a score. */
export const NO_SCORE: ShownScore = { trust_score_overall: null, trust_score_updated: null }

/** @param score the score of the basis, if it is already known */
export function shownScore(basis: ScoreBasis, score = scoreOf(basis)): ShownScore {
  if (!score) return NO_SCORE
  return { trust_score_overall: toDecimal(score.overall), trust_score_updated: scoredAt(basis, score) }
}
