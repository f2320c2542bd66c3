import { describe, expect, test } from 'vitest'
import { crossThresholds, THRESHOLDS } from '../../src/trust/threshold.ts'

/** The crossings of a score, as `+40` and `-80`. */
function crossings(level: number, score: number): string {
  const { crossed } = crossThresholds(level, score)
  return crossed.map(({ threshold, direction }) => `${direction === 'up' ? '+' : '-'}${threshold}`).join(' ')
}

describe('a threshold', () => {
  test.each([
    [39.9, ''],
    [40, '+40'],
    [40.1, '+40'],
    [59.9, '+40'],
    [60, '+40 +60'],
    [79.9, '+40 +60'],
    [80, '+40 +60 +80'],
    [100, '+40 +60 +80'],
    [0, ''],
  ])('is crossed upward by a first score of %s: "%s"', (score, expected) => {
    expect(crossings(0, score)).toBe(expected)
  })

  test.each([
    [3, 80, ''],
    [3, 79.9, ''],
    [3, 79.0, ''],
    [3, 78.9, '-80'],
    [3, 59.0, '-80'],
    [3, 58.9, '-80 -60'],
    [3, 39.0, '-80 -60'],
    [3, 38.9, '-80 -60 -40'],
    [3, 0, '-80 -60 -40'],
    [2, 79.9, ''],
    [2, 80, '+80'],
    [2, 59.9, ''],
    [2, 59, ''],
    [2, 58.9, '-60'],
    [2, 38.9, '-60 -40'],
    [1, 59.9, ''],
    [1, 60, '+60'],
    [1, 80, '+60 +80'],
    [1, 39.9, ''],
    [1, 39, ''],
    [1, 38.9, '-40'],
  ])('is crossed from level %s by a score of %s: "%s"', (level, score, expected) => {
    expect(crossings(level, score)).toBe(expected)
  })

  test('is crossed once while a score varies within a point of it', () => {
    let level = 0
    const reported = [79.9, 80, 79.5, 80.2, 79, 80, 79.1, 78.9, 79.5, 79.9, 80].map((score) => {
      const step = crossThresholds(level, score)
      level = step.level
      return step.crossed.filter(({ threshold }) => threshold === 80).map(({ direction }) => direction)
    })
    expect(reported.flat()).toEqual(['up', 'down', 'up'])
    expect(reported.map((directions) => directions.length)).toEqual([0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1])
  })

  test('is crossed up and down in turn, and the level counts the thresholds below the score', () => {
    let [level, seed] = [0, 7]
    const above = new Set<number>()
    for (let step = 0; step < 5_000; step++) {
      seed = (seed * 48_271) % 2_147_483_647
      const next = crossThresholds(level, (seed % 1001) / 10)
      for (const { threshold, direction } of next.crossed) {
        expect(above.has(threshold)).toBe(direction === 'down')
        if (direction === 'up') above.add(threshold)
        else above.delete(threshold)
      }
      level = next.level
      expect([...above].sort()).toEqual(THRESHOLDS.slice(0, level))
    }
  })
})
