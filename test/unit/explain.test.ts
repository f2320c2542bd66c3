import { describe, expect, test } from 'vitest'
import { SOURCES } from '../../src/db/enums.ts'
import { DIMENSIONS } from '../../src/trust/dimensions.ts'
import { explain, sharesOf } from '../../src/trust/explain.ts'
import { scoreAgent, toShare } from '../../src/trust/score.ts'
import { windowOf } from '../../src/trust/window.ts'
import {
  criticalAt,
  explanationOf,
  only,
  randomRollups,
  rowsOf,
  type Stretch,
  seeded,
  work,
} from '../vectors/rollups.ts'

const TODAY = '2026-06-30'

const explained = (...stretches: Stretch[]) => explanationOf(rowsOf(stretches, TODAY), TODAY)

describe('the explanation', () => {
  test('names the reading that counts', () => {
    const reading = (...stretches: Stretch[]) => {
      const { reliability, safety } = explained(...stretches).dimensions
      return [reliability.reading, safety.reading]
    }
    // An old burst of failures is most of a short record by tasks, but one of thirty by days.
    expect(reading(work(29, 0, { tasks: 3 }), only(29, { tasks: 1_000, completed: 0 }))).toEqual([
      'tasks',
      'tasks',
    ])
    expect(reading(work(60, 14), only(0, { tasks: 5, completed: 0 }))).toEqual(['fortnight', 'tasks'])
    expect(reading(work(30), criticalAt(3))).toEqual(['days', 'ceiling'])
  })

  test('weights the newest 70 tasks, as in the example of docs/use/trust-score.md', () => {
    const { reliability } = explained(work(60, 1), only(0, { tasks: 5, completed: 0 })).dimensions
    expect(reliability).toMatchObject({ good: 28.5536, bad: 4.8214, reading: 'fortnight' })
  })

  test('gives the numbers from which each dimension can be recomputed', () => {
    const random = seeded(9)
    for (let run = 0; run < 100; run++) {
      const rows = randomRollups(random, TODAY, { largest: 60 }).map((row) => ({
        ...row,
        down_seconds: 0,
        incidents_critical: 0,
      }))
      const score = scoreAgent(rows, TODAY)
      if (!score) continue
      const { dimensions } = explain(score, windowOf(rows, TODAY))
      for (const name of DIMENSIONS) {
        const { good, bad, reading, confidence } = dimensions[name]
        const x = (100 * (good + (reading === 'fortnight' ? 10 : 5))) / (good + bad + 10)
        const points = x > 50 ? 50 + confidence * (x - 50) : x
        expect(Math.abs(points - score[name])).toBeLessThan(0.06)
      }
    }
  })

  test('truncates the confidence to four decimals, so that only full confidence is 1', () => {
    expect([0, 1 / 3, 0.57, 0.676666667, 0.99999, 0.999999999, 1].map(toShare)).toEqual([
      0, 0.3333, 0.57, 0.6766, 0.9999, 0.9999, 1,
    ])
    for (let share = 0; share <= 10_000; share++) expect(toShare(share / 10_000)).toBe(share / 10_000)
  })
})

describe('the share of each source', () => {
  const of = (...events: number[]) =>
    Object.values(sharesOf(SOURCES.map((source, index) => ({ source, events: events[index] ?? 0 }))))

  test('is rounded so that the largest remainders, then the first ones, are rounded up', () => {
    expect(of(0, 0, 0, 0)).toEqual([0, 0, 0, 0])
    expect(of(3, 0, 1, 0)).toEqual([0.75, 0, 0.25, 0])
    expect(of(1, 0, 1, 1)).toEqual([0.3334, 0, 0.3333, 0.3333])
    expect(of(1, 1, 4, 0)).toEqual([0.1667, 0.1666, 0.6667, 0])
    expect(of(0, 0, 99_995, 5)).toEqual([0, 0, 1, 0])
  })
})
