import { toDecimal } from './score.ts'
import type { Crossing } from './threshold.ts'

// Tenths of a point below the newest score of an earlier day.
const FALL_TENTHS = 50

interface DayScore {
  /** The UTC day `YYYY-MM-DD`. */
  day: string
  overall: number
}

/** A fall that its operator is to hear of. */
export interface Fall {
  from: DayScore
  to: DayScore
}

/**
 * Whether a score is so far below an earlier day's that its operator is to hear of it: 5 points.
 *
 * @param before the overall score of an earlier day, with one decimal
 * @param score the overall score to judge, with one decimal
 */
export function hasFallen(before: number, score: number): boolean {
  return Math.round(10 * before) - Math.round(10 * score) >= FALL_TENTHS
}

/**
 * What an operator reads about a falling score.
 *
 * @param agent its name and number
 * @param fall the two scores compared
 * @param crossed thresholds that were passed
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
