import { expect, test } from 'vitest'
import { crossThresholds } from '../../src/trust/threshold.ts'

test.each([
  [0, 39.9, '', 0],
  [0, 40, '+40', 1],
  [0, 100, '+40 +60 +80', 3],
  [3, 79.0, '', 3],
  [3, 78.9, '-80', 2],
  [3, 38.9, '-80 -60 -40', 0],
  [2, 80, '+80', 3],
  [2, 59, '', 2],
  [1, 80, '+60 +80', 3],
  [1, 38.9, '-40', 0],
])('from level %s, a score of %s crosses "%s" to level %s', (from, score, expected, to) => {
  const { crossed, level } = crossThresholds(from, score)
  const named = crossed.map(({ threshold, direction }) => (direction === 'up' ? '+' : '-') + threshold)
  expect([named.join(' '), level]).toEqual([expected, to])
})
