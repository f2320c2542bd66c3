import { toDecimal } from './score.ts'
import type { Crossing } from './threshold.ts'

const FALL_TENTHS = 50 // tenths of a point below the newest score of an earlier day

interface DayScore {
  /** The UTC day `YYYY-MM-DD`. */
  day: string
  overall: number
}

/** A fall of a score that the operator is notified of. */
export interface Fall {
  from: DayScore
  to: DayScore
}

/**
 * Whether a score fell far enough to notify the operator: by 5 points or more.
 *
 * @param before the overall score of an earlier day, with one decimal
 * @param score the new overall score, with one decimal
 */
export function hasFallen(before: number, score: number): boolean {
  return Math.round(10 * before) - Math.round(10 * score) >= FALL_TENTHS
}

/**
 * The text of the notification about a fall.
 *
 * @param crossed the thresholds that were crossed
 */
export function trustAlert(
  agent: { name: string; reg: string },
  { from, to }: Fall,
  crossed: readonly Crossing[],
): { title: string; body: string } {
  const passed = crossed.filter(({ direction }) => direction === 'down').map(({ threshold }) => threshold)
  const below = passed.length > 0 ? ` It is now below ${passed.join(' and ')}.` : ''
  return {
    title: `Trust score fell from ${toDecimal(from.overall)} to ${toDecimal(to.overall)}`,
    body: `${agent.name} (${agent.reg}) was at ${toDecimal(from.overall)} on ${from.day}, and at ${toDecimal(
      to.overall,
    )} on ${to.day}.${below}`,
  }
}
