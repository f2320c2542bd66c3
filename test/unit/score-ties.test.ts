import { describe, expect, test } from 'vitest'
import { explain } from '../../src/trust/explain.ts'
import { scoreAgent } from '../../src/trust/score.ts'
import { windowOf } from '../../src/trust/window.ts'
import { rowsOfTie } from '../vectors/rollups.ts'
import vectors from '../vectors/score-ties.json' with { type: 'json' }

const { today, cases } = vectors

describe('a tie in the ninth decimal', () => {
  test.each(cases)('decides $name', ({ field, tie, below, ...rows }) => {
    const published = (more: number) => {
      const evidence = rowsOfTie(rows, today, more)
      const score = scoreAgent(evidence, today)
      if (!score) throw new Error('expected a score')
      return field === 'accuracy'
        ? score.accuracy
        : explain(score, windowOf(evidence, today)).dimensions.accuracy.confidence
    }
    expect([-1, 0, 1].map(published)).toEqual([below, tie, tie])
  })
})
