import { describe, expect, test } from 'vitest'
import { explanationOf, rowsOfTie, scoreOf } from '../vectors/rollups.ts'
import vectors from '../vectors/score-ties.json' with { type: 'json' }

const { today, cases } = vectors

describe('a tie in the ninth decimal', () => {
  test.each(cases)('decides $name', ({ field, tie, below, ...rows }) => {
    const published = (more: number) => {
      const evidence = rowsOfTie(rows, today, more)
      return field === 'accuracy'
        ? scoreOf(evidence, today).accuracy
        : explanationOf(evidence, today).dimensions.accuracy.confidence
    }
    expect([-1, 0, 1].map(published)).toEqual([below, tie, tie])
  })
})
