import { describe, expect, test } from 'vitest'
import { crossThresholds, THRESHOLDS } from '../../src/trust/threshold.ts'

describe('a threshold', () => {
  test.each([
    [0, 39.9, ''],
    [0, 40, '+40'],
    [0, 100, '+40 +60 +80'],
    [3, 79.0, ''],
    [3, 78.9, '-80'],
    [3, 38.9, '-80 -60 -40'],
    [2, 80, '+80'],
    [2, 59, ''],
    [1, 80, '+60 +80'],
    [1, 38.9, '-40'],
  ])('is crossed from level %s by a score of %s: "%s"', (level, score, expected) => {
    const { crossed } = crossThresholds(level, score)
    expect(
      crossed.map(({ threshold, direction }) => (direction === 'up' ? '+' : '-') + threshold).join(' '),
    ).toBe(expected)
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
