import { describe, expect, test } from 'vitest'
import { explain } from '../../src/trust/explain.ts'
import { scoreAgent } from '../../src/trust/score.ts'
import { dayOfAge, emptyRow, rowsOfTie } from '../vectors/rollups.ts'
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
        : explain(score, evidence, today).dimensions.accuracy.confidence
    }
    expect([-1, 0, 1].map(published)).toEqual([below, tie, tie])
  })

  // One row of age 90 − w: γ = 5wc / 4500n, and each search compares with the same fraction in integers.
  test('is rounded up in the confidence of each record of one row that has one', () => {
    let ties = 0
    for (const tasks of [256, 768, 1280, 3840]) {
      for (let weight = 9; weight <= 90; weight += 9) {
        for (let completed = 1; completed < tasks; completed++) {
          const [halves, divisor] = [2 * 1e9 * weight * completed, 900 * tasks]
          if ((halves / divisor) % 2 !== 1) continue
          ties++
          const row = {
            ...emptyRow(dayOfAge(90 - weight, today), 'independent'),
            completed,
            failed: tasks - completed,
          }
          expect(scoreAgent([row], today)?.confidence).toBe((halves / divisor + 1) / 2e9)
        }
      }
    }
    expect(ties).toBeGreaterThan(1000)
  })
})
