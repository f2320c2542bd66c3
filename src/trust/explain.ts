import { RISKS, type RiskCode, type RiskDimension } from './risks.ts'
import type { DailyRollup } from './rollup.ts'
import { type Dimension, type TrustScore, WEIGHTS_PERCENT } from './score.ts'
import { weighDays } from './window.ts'

const SHARE_STEPS = 10_000 // four decimals

export interface Explanation {
  provisional: boolean
  weights: Record<Dimension, number>
  confidence: number
  evidence: { operator: number; platform: number }
  risk_factors: { code: RiskCode; dimension: RiskDimension; message: string }[]
}

/**
 * Says what stands behind a score: how its dimensions weigh, how sure it is, who reported, and what a reader should
 * beware of.
 *
 * @param score what `scoreAgent` gives for the same rows and day
 * @param days the agent's rollup rows, in any order
 * @param today the UTC day `YYYY-MM-DD` that has age 0
 * @param platformEvents events of the window that a platform of another operator, a different identified person, has
 * reported
 * @returns shares from 0 to 1; risk factors in the order of the catalogue, empty when there is none
 */
export function explain(
  score: TrustScore,
  days: readonly DailyRollup[],
  today: string,
  platformEvents: number,
): Explanation {
  const found = { score, window: weighDays(days, today), platformEvents }
  return {
    provisional: score.provisional,
    weights: {
      reliability: WEIGHTS_PERCENT.reliability / 100,
      accuracy: WEIGHTS_PERCENT.accuracy / 100,
      safety: WEIGHTS_PERCENT.safety / 100,
      speed: WEIGHTS_PERCENT.speed / 100,
      consistency: WEIGHTS_PERCENT.consistency / 100,
    },
    confidence: toShare(score.confidence),
    evidence: evidenceOf(score.events_considered, platformEvents),
    risk_factors: RISKS.flatMap(({ code, dimension, find }) => {
      const message = find(found)
      return message === null ? [] : [{ code, dimension, message }]
    }),
  }
}

/**
 * Who reported the events of a window, as shares that add up to 1.
 *
 * @param events all of them
 * @param platformEvents those that a platform of another operator, a different identified person, has reported
 * @returns 0 to 1 with four decimals; both 0 when there are no events
 */
export function evidenceOf(events: number, platformEvents: number): Explanation['evidence'] {
  if (events === 0) return { operator: 0, platform: 0 }
  const platform = Math.min(SHARE_STEPS, Math.round((SHARE_STEPS * platformEvents) / events))
  return { operator: (SHARE_STEPS - platform) / SHARE_STEPS, platform: platform / SHARE_STEPS }
}

/**
 * A share as it is published: four decimals. A confidence below 1 is at most 0.99, so it never rounds to 1.
 *
 * @param value 0 to 1
 */
export function toShare(value: number): number {
  return Math.round(SHARE_STEPS * value) / SHARE_STEPS
}
