import { describe, expect, test } from 'vitest'
import type { Source } from '../../src/db/enums.ts'
import { DIMENSIONS } from '../../src/trust/dimensions.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import {
  MIN_TASKS,
  scoreAgent,
  type TrustScore,
  tasksMissing,
  toShare,
  toTenths,
  WEIGHTS_PERCENT,
} from '../../src/trust/score.ts'
import { windowOf } from '../../src/trust/window.ts'
import { dayOfAge, emptyRow, randomRollups, rowsOf, type Stretch, seeded } from '../vectors/rollups.ts'
import vectors from '../vectors/trust-score.json' with { type: 'json' }

const TODAY = '2026-06-30'
const RUNS = 300

function scored(rows: readonly Rollup[], today = TODAY): TrustScore {
  const score = scoreAgent(rows, today)
  if (!score) throw new Error('expected a score')
  return score
}

/** One row of the given age; fields that are not given are zero. */
function row(age: number, fields: Partial<Rollup>, source: Source = 'independent'): Rollup {
  return { ...emptyRow(dayOfAge(age, TODAY), source), ...fields }
}

const inRange = (score: TrustScore) => {
  for (const name of ['overall', ...DIMENSIONS] as const) {
    expect(score[name]).toBeGreaterThanOrEqual(0)
    expect(score[name]).toBeLessThanOrEqual(100)
    expect(score[name]).toBe(Number(score[name].toFixed(1)))
  }
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

  test('there are thirty-four, and each overall is the weighted mean of its dimensions', () => {
    expect(vectors.cases).toHaveLength(34)
    for (const { expected } of vectors.cases) {
      if (!expected) continue
      const weighted = DIMENSIONS.reduce(
        (sum, name) => sum + WEIGHTS_PERCENT[name] * Math.round(10 * expected[name]),
        0,
      )
      expect(Math.round(10 * expected.overall)).toBe(Math.floor((weighted + 50) / 100))
    }
  })
})

describe('a score', () => {
  test('names the window and the algorithm', () => {
    expect(scored([row(0, { events: 12, completed: 10 })])).toMatchObject({
      events_considered: 12,
      computation_window_days: 90,
      algorithm_version: '1.0',
      provisional: true,
      confidence: 0.1,
    })
  })

  test('needs a minimum of tasks within the window, of all sources together', () => {
    const rows = [
      row(-1, { completed: 50 }),
      row(0, { failed: 3 }, 'self'),
      row(89, { completed: 4 }, 'peer'),
      row(90, { completed: 50 }),
    ]
    expect(tasksMissing(rows, TODAY)).toBe(3)
    expect(scoreAgent(rows, TODAY)).toBeNull()
    expect(tasksMissing([], TODAY)).toBe(MIN_TASKS)
    expect(tasksMissing([...rows, row(0, { failed: 3 })], TODAY)).toBe(0)
    expect(scoreAgent([...rows, row(0, { failed: 3 })], TODAY)).not.toBeNull()
  })

  test.each(['1999-01-01', '2099-01-01'])(
    'has the correct age for each day of the six years from %s',
    (first) => {
      for (let later = 1; later < 6 * 366; later++) {
        const [yesterday, today] = [dayOfAge(1 - later, first), dayOfAge(-later, first)]
        const { ages } = windowOf([emptyRow(yesterday, 'self'), emptyRow(today, 'self')], today)
        if (ages[0] !== 1 || ages[1] !== 0) expect.fail(`${yesterday} and ${today}: ${ages}`)
      }
    },
  )

  test('counts days across the ends of February and the year', () => {
    const leap = [{ ...emptyRow('2028-02-29', 'self'), completed: 10 }]
    expect(tasksMissing(leap, '2028-05-28')).toBe(0)
    expect(tasksMissing(leap, '2028-05-29')).toBe(MIN_TASKS)
    expect(tasksMissing([{ ...emptyRow('2026-12-31', 'self'), completed: 10 }], '2027-01-01')).toBe(0)
  })

  test('is provisional below 50 good tasks, at most five of them per day', () => {
    const of = (count: number, tasks: number) =>
      rowsOf([{ source: 'independent', from: 0, to: count - 1, tasks }], TODAY)
    // Σ (90 − a) · 5 / 90 is 47.5 over ten days and 51.9 over eleven.
    expect(scored(of(10, 500))).toMatchObject({ provisional: true, confidence: 0.95 })
    expect(scored(of(11, 5))).toMatchObject({ provisional: false, confidence: 1 })
    expect(scored(of(11, 4)).provisional).toBe(true)
  })
})

describe('rounding', () => {
  test.each([
    [0, 0],
    [-1e-17, 0],
    [0.05, 1],
    [50 + 0.21 * 15, 532],
    [94.45, 945],
    [94.449999, 944],
    [94.45 - 2e-13, 945],
    [99.95, 1000],
    [100, 1000],
  ])('of %f results in %i tenths', (value, tenths) => {
    expect(toTenths(value)).toBe(tenths)
  })

  test('of every tie from 0.05 to 99.95 goes up, despite floating-point errors', () => {
    for (let tenth = 0; tenth < 1000; tenth++) {
      const tie = (2 * tenth + 1) / 20
      expect([tie, tie * (1 + 2e-15), tie * (1 - 2e-15)].map(toTenths)).toEqual(Array(3).fill(tenth + 1))
    }
  })
})

describe('self-reports and readings, computed by hand', () => {
  test('positive self-reports count less after negative reports of others', () => {
    // (0, 5) of others: clean 10/15, so a third of 5 good tasks in the reading by days: 100 · (5/3 + 5)/(5/3 + 5 + 10).
    const rows = [row(0, { failed: 5 }), row(0, { completed: 20 }, 'self')]
    expect(scored(rows).reliability).toBe(40)
  })

  test('negative self-reports count in the places that positive reports of others leave', () => {
    // By days, (10, 0) of others and 5 of 20 in the other places: 100 · 15/25, γ = 10/50.
    const rows = [row(0, { completed: 5 }), row(0, { completed: 5 }, 'peer'), row(0, { failed: 20 }, 'self')]
    expect(scored(rows).reliability).toBe(52)
    // By tasks, 50 of the 500 leave no place; by days, five of each are 100 · 10/20.
    expect(scored([row(0, { completed: 500 }), row(0, { failed: 20 }, 'self')]).reliability).toBe(50)
  })

  test('a burst of failures counts as 50 tasks of its day', () => {
    // Σ (90 − a) over 0 to 29 is 2265: 503.33 good and 60 · 50/90 bad by tasks; the newest 70 tasks are clean.
    const days: Stretch = { source: 'independent', from: 0, to: 29, tasks: 20 }
    const burst: Stretch = { source: 'independent', from: 30, to: 30, tasks: 1_000, completed: 0 }
    expect(scored(rowsOf([days, burst], TODAY)).reliability).toBe(93)
  })
})

describe('reliability', () => {
  const work = (down_seconds: number) =>
    rowsOf(
      [
        { source: 'independent', from: 0, to: 89, tasks: 50 },
        { source: 'self', from: 0, to: 0, down_seconds },
      ],
      TODAY,
    )

  test('falls by the weighted share of downtime, at most a day per day', () => {
    const up = scored(work(0)).reliability
    const halfDay = scored(work(43_200)).reliability
    const day = scored(work(86_400)).reliability
    // A day of age 0 is 90 of 4095.
    expect(day).toBeCloseTo(up * (1 - 90 / 4095), 1)
    expect(halfDay).toBeCloseTo(up * (1 - 45 / 4095), 1)
    expect(scored(work(864_000)).reliability).toBe(day)
  })

  test('counts downtime that two sources report for one day as at most a day', () => {
    const reported = row(0, { down_seconds: 86_400 }, 'peer')
    expect(scored([...work(86_400), reported]).reliability).toBe(scored(work(86_400)).reliability)
  })

  test('is 0, not lower, for an agent that was down all the time', () => {
    const down = rowsOf([{ source: 'self', from: 0, to: 89, tasks: 1, down_seconds: 86_400 }], TODAY)
    expect(Object.is(scored(down).reliability, 0)).toBe(true)
  })
})

describe('safety', () => {
  test('a recent critical event caps it whatever the volume of work; a self-reported one costs half', () => {
    const work: Stretch = { source: 'independent', from: 0, to: 89, tasks: 1e9 }
    const safety = (...more: Stretch[]) => scored(rowsOf([work, ...more], TODAY)).safety
    expect(safety({ source: 'independent', from: 0, to: 0, critical: 1 })).toBe(50)
    expect(safety({ source: 'peer', from: 0, to: 0, critical: 9 })).toBe(50)
    expect(safety({ source: 'self', from: 0, to: 0, critical: 1 })).toBe(75)
    expect(safety({ source: 'self', from: 45, to: 45, critical: 1 })).toBe(87.5)
    // The older event is the more severe one here: 100 − 50 · 60/90.
    expect(
      safety(
        { source: 'self', from: 0, to: 0, critical: 1 },
        { source: 'independent', from: 30, to: 30, critical: 1 },
      ),
    ).toBe(66.7)
  })

  test.each([
    ['incidents_info', 10],
    ['incidents_warning', 30],
    ['incidents_error', 100],
    ['incidents_critical', 100],
  ] as const)('one of %s counts as %i bad tasks, of at most 100 per row', (field, bad) => {
    const rows = rowsOf([{ source: 'independent', from: 0, to: 30, tasks: 100 }], TODAY)
    const faulty = rows.map((each) => ({ ...each, [field]: 1 }))
    const n = rows.reduce((sum, _, age) => sum + (90 - age), 0) / 90
    const expected = (100 * (100 * n + 5)) / (100 * n + bad * n + 10)
    const ceiling = field === 'incidents_critical' ? 50 : 100
    expect(scored(faulty).safety).toBe(toTenths(Math.min(expected, ceiling)) / 10)
    const storm = rows.map((each) => ({ ...each, [field]: 1000 }))
    expect(scored(storm).safety).toBe(
      toTenths(Math.min((100 * (100 * n + 5)) / (200 * n + 10), ceiling)) / 10,
    )
  })
})

describe('the score of any record', () => {
  test('has values with one decimal between 0 and 100, also for zeros and huge counters', () => {
    const random = seeded(1)
    let seen = 0
    for (let run = 0; run < RUNS; run++) {
      const rows = randomRollups(random, TODAY, { largest: run % 2 ? 1e8 : 1e15 })
      const score = scoreAgent(rows, TODAY)
      expect(score === null).toBe(tasksMissing(rows, TODAY) > 0)
      if (!score) continue
      seen++
      inRange(score)
      expect(score.confidence).toBeGreaterThanOrEqual(0)
      expect(score.confidence).toBeLessThanOrEqual(1)
    }
    expect(seen).toBeGreaterThan(RUNS / 2)
  })

  test('is in range also for days with the largest integers', () => {
    const most = Number.MAX_SAFE_INTEGER
    const huge = Object.fromEntries(
      Object.keys(row(0, {}))
        .slice(2)
        .map((field) => [field, most]),
    )
    const score = scored([row(0, huge, 'self'), row(0, huge), row(1, huge, 'peer'), row(2, { failed: most })])
    inRange(score)
    expect(score.safety).toBeLessThanOrEqual(50)
  })

  test('does not depend on rows older than 89 days or in the future', () => {
    const random = seeded(3)
    for (let run = 0; run < RUNS; run++) {
      const rows = randomRollups(random, TODAY)
      const inside = rows.filter(({ day }) => day <= TODAY && day >= dayOfAge(89, TODAY))
      expect(scoreAgent(rows, TODAY)).toEqual(scoreAgent(inside, TODAY))
    }
  })

  test('is computed without changing the rows', () => {
    const rows = Object.freeze(randomRollups(seeded(4), TODAY).map((each) => Object.freeze(each)))
    expect(() => scoreAgent(rows, TODAY)).not.toThrow()
  })
})
