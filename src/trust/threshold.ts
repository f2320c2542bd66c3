/** Overall scores whose crossing is reported. */
const THRESHOLDS = [40, 60, 80] as const

// A score crosses a threshold downward when it falls more than this below it; otherwise it could flap.
const SLACK = 1

export interface Crossing {
  threshold: number
  direction: 'up' | 'down'
}

/**
 * Finds the thresholds that a score has crossed since the last report: upward when it reaches the threshold, downward
 * when it is more than a point below it.
 *
 * The level is kept when a score ends for lack of activity, which is not reported. A later score is compared with the
 * last reported level, so that "up" is never reported twice without "down" in between.
 *
 * @param level number of thresholds that the agent is above, as last reported: 0 (also before the first score) to 3
 * @param score the new overall score, with one decimal
 * @returns the new level, and one crossing for each threshold, in the order in which they were crossed
 */
export function crossThresholds(level: number, score: number): { level: number; crossed: Crossing[] } {
  const up = THRESHOLDS.slice(level).filter((threshold) => score >= threshold)
  const down = THRESHOLDS.slice(0, level).filter((threshold) => score < threshold - SLACK)
  return {
    level: level + up.length - down.length,
    crossed: [
      ...up.map((threshold) => ({ threshold, direction: 'up' as const })),
      ...down.toReversed().map((threshold) => ({ threshold, direction: 'down' as const })),
    ],
  }
}
