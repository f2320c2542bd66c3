import { describe, expect, test } from 'vitest'
import type { Source } from '../../src/db/enums.ts'
import { DIMENSIONS } from '../../src/trust/dimensions.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import { MIN_TASKS, scoreAgent, toShare, toTenths } from '../../src/trust/score.ts'
import { windowOf } from '../../src/trust/window.ts'
import { dayOfAge, emptyRow, randomRollups, rowsOf, type Stretch, seeded } from '../vectors/rollups.ts'
import vectors from '../vectors/trust-score.json' with { type: 'json' }

const TODAY = '2026-06-30'
const RUNS = 300

/** One row of the given age; fields that are not given are zero. */
function row(age: number, fields: Partial<Rollup>, source: Source = 'independent'): Rollup {
  return { ...emptyRow(dayOfAge(age, TODAY), source), ...fields }
}

describe('worked cases', () => {
  for (const { name, record, open_outages, expected } of vectors.cases) {
    test(name, () => {
      const score = scoreAgent(rowsOf(record as Stretch[], vectors.today), vectors.today, open_outages)
      if (expected === null) return expect(score).toBeNull()
      const { confidence, ...numbers } = expected
      expect(score).toMatchObject({ ...numbers, provisional: confidence < 1 })
      expect(toShare(score?.confidence ?? 0)).toBe(confidence)
    })
  }
})

describe('a score', () => {
  test('needs a minimum of tasks within the window, of all sources together', () => {
    const rows = [
      row(-1, { completed: 50 }),
      row(0, { failed: 3 }, 'self'),
      row(89, { completed: 4 }, 'peer'),
      row(90, { completed: 50 }),
    ]
    expect(windowOf(rows, TODAY).tasks).toBe(7)
    expect(scoreAgent(rows, TODAY)).toBeNull()
    expect(scoreAgent([...rows, row(0, { failed: 3 })], TODAY)).not.toBeNull()
  })

  test.each(['2026-01-01', '2099-01-01'])(
    'has the correct age for each day of the six years from %s',
    (first) => {
      for (let later = 1; later < 6 * 366; later++) {
        const [yesterday, today] = [dayOfAge(1 - later, first), dayOfAge(-later, first)]
        const { ages } = windowOf([emptyRow(yesterday, 'self'), emptyRow(today, 'self')], today)
        if (ages[0] !== 1 || ages[1] !== 0) expect.fail(`${yesterday} and ${today}: ${ages}`)
      }
    },
  )
})

describe('rounding', () => {
  test('of every tie from 0.05 to 99.95 goes up, despite floating-point errors', () => {
    for (let tenth = 0; tenth < 1000; tenth++) {
      const tie = (2 * tenth + 1) / 20
      expect([tie, tie * (1 + 2e-15), tie * (1 - 2e-15)].map(toTenths)).toEqual(Array(3).fill(tenth + 1))
    }
    expect([-1e-17, 94.449999, 100].map(toTenths)).toEqual([0, 944, 1000])
  })
})

describe('the score of any record', () => {
  test('has values with one decimal between 0 and 100, also for zeros and huge counters', () => {
    const random = seeded(1)
    let seen = 0
    for (let run = 0; run < RUNS; run++) {
      const rows = randomRollups(random, TODAY, { largest: run % 2 ? 1e8 : 1e15 })
      const score = scoreAgent(rows, TODAY)
      expect(score === null).toBe(windowOf(rows, TODAY).tasks < MIN_TASKS)
      if (!score) continue
      seen++
      for (const name of ['overall', ...DIMENSIONS] as const) {
        expect(score[name]).toBeGreaterThanOrEqual(0)
        expect(score[name]).toBeLessThanOrEqual(100)
        expect(score[name]).toBe(Number(score[name].toFixed(1)))
      }
      expect(score.confidence).toBeGreaterThanOrEqual(0)
      expect(score.confidence).toBeLessThanOrEqual(1)
    }
    expect(seen).toBeGreaterThan(RUNS / 2)
  })

  test('is computed without changing the rows', () => {
    const rows = Object.freeze(randomRollups(seeded(4), TODAY).map((each) => Object.freeze(each)))
    expect(scoreAgent(rows, TODAY)).toMatchObject({ computation_window_days: 90, algorithm_version: '1.0' })
  })
})
