/** Overall scores whose crossing is reported. */
export const THRESHOLDS = [40, 60, 80] as const

// A score that has crossed upwards must fall by more than this below, or it would flap.
const SLACK = 1

export interface Crossing {
  threshold: number
  direction: 'up' | 'down'
}

/**
 * Says which thresholds a score has passed since the last one that was reported: upwards when it reaches the threshold,
 * downwards when it is more than a point below.
 *
 * The level outlives a score that ends for lack of activity, of which nothing is reported: when there is one again, it is
 * compared with what was reported last, so that nobody hears "up" twice without a "down" between.
 *
 * @param level how many thresholds the agent stands above, as far as it was reported: 0 (also before the first score) to 3
 * @param score the new overall score, with one decimal
 * @returns the new level, and one crossing for each threshold passed, in the order of the way
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
