import { describe, expect, expectTypeOf, test } from 'vitest'
import type { agent_daily } from '../../src/db/schema.ts'
import type { DailyRollup } from '../../src/trust/rollup.ts'
import {
  MIN_TASKS,
  scoreAgent,
  type TrustScore,
  tasksMissing,
  toTenths,
  WEIGHTS_PERCENT,
} from '../../src/trust/score.ts'
import { dayOfAge, emptyDay, randomRollups, rowsOf, seeded, shuffled } from '../vectors/rollups.ts'
import vectors from '../vectors/trust-score.json' with { type: 'json' }

const TODAY = '2026-06-30'
const RUNS = 500
const DIMENSIONS = ['reliability', 'accuracy', 'safety', 'speed', 'consistency'] as const

function scored(days: DailyRollup[], today = TODAY): TrustScore {
  const score = scoreAgent(days, today)
  if (!score) throw new Error('expected a score')
  return score
}

/** One day of the given age, zeros but for the given fields. */
function day(age: number, fields: Partial<DailyRollup>): DailyRollup {
  return { ...emptyDay(dayOfAge(age, TODAY)), ...fields }
}

function changed(days: DailyRollup[], age: number, change: (row: DailyRollup) => DailyRollup): DailyRollup[] {
  const date = dayOfAge(age, TODAY)
  const row = days.find((other) => other.day === date) ?? emptyDay(date)
  return [...days.filter((other) => other !== row), change(row)]
}

describe('worked cases', () => {
  for (const { name, record, expected } of vectors.cases) {
    test(name, () => {
      const score = scoreAgent(rowsOf(record, vectors.today), vectors.today)
      if (expected === null) expect(score).toBeNull()
      else expect(score).toMatchObject(expected)
    })
  }

  test('there are twelve, and each overall can be checked with a pencil [2.5b]', () => {
    expect(vectors.cases).toHaveLength(12)
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

describe('the answer', () => {
  test('a rollup row is a row of agent_daily without the agent', () => {
    expectTypeOf<
      Omit<typeof agent_daily.$inferSelect, 'agent_id' | 'platform_events'>
    >().toEqualTypeOf<DailyRollup>()
  })

  test('names the window and the algorithm [2.5e]', () => {
    const score = scored([day(0, { events: 12, completed: 10 })])
    expect(score).toMatchObject({
      events_considered: 12,
      computation_window_days: 90,
      algorithm_version: '1.0',
      provisional: true,
    })
    expect(score.confidence).toBeCloseTo(1 / 14)
  })

  test('says how many tasks are missing, counted inside of the window only', () => {
    const days = [
      day(-1, { completed: 50 }),
      day(0, { failed: 3 }),
      day(89, { completed: 4 }),
      day(90, { completed: 50 }),
    ]
    expect(tasksMissing(days, TODAY)).toBe(3)
    expect(scoreAgent(days, TODAY)).toBeNull()
    expect(tasksMissing([], TODAY)).toBe(MIN_TASKS)
    expect(tasksMissing([...days, day(1, { failed: 3 })], TODAY)).toBe(0)
    expect(scoreAgent([...days, day(1, { failed: 3 })], TODAY)).not.toBeNull()
  })

  test('counts days across the end of February and of the year', () => {
    const leap = [{ ...emptyDay('2028-02-29'), completed: 10 }]
    expect(tasksMissing(leap, '2028-05-28')).toBe(0)
    expect(tasksMissing(leap, '2028-05-29')).toBe(MIN_TASKS)
    expect(tasksMissing([{ ...emptyDay('2026-12-31'), completed: 10 }], '2027-01-01')).toBe(0)
  })

  test('is provisional up to 99 counted tasks or 13 days, and not from 100 in 14', () => {
    const days = (count: number, tasks: number) =>
      Array.from({ length: count }, (_, age) => day(age, { completed: tasks }))
    expect(scored(days(13, 20)).provisional).toBe(true)
    expect(scored([...days(32, 3), day(40, { completed: 3 })]).provisional).toBe(true)
    expect(scored(days(14, 20))).toMatchObject({ provisional: false, confidence: 1 })
  })

  test('a hundred tasks counted from capped days are exactly a hundred', () => {
    // Ten days of one task hold the cap at ten, and nine capped days give the other 90.
    const quiet = Array.from({ length: 10 }, (_, index) => day(index + 1, { completed: 1 }))
    const flooded = Array.from({ length: 9 }, (_, index) => day(index + 11, { completed: 77 }))
    expect(scored([...quiet, ...flooded])).toMatchObject({ confidence: 1, provisional: false })
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
  ])('%f is %i tenths', (value, tenths) => {
    expect(toTenths(value)).toBe(tenths)
  })

  test('every tie from 0.05 to 99.95 goes up, however it is stored', () => {
    for (let tenth = 0; tenth < 1000; tenth++) {
      const tie = (2 * tenth + 1) / 20
      expect([tie, tie * (1 + 2e-15), tie * (1 - 2e-15)].map(toTenths)).toEqual(Array(3).fill(tenth + 1))
    }
  })
})

describe('reliability', () => {
  const work = Array.from({ length: 20 }, (_, age) => ({ completed: 10, age }))
  const rows = (uptime: Partial<DailyRollup>) =>
    work.map(({ age, completed }) => day(age, { completed, ...uptime }))

  test('a week of uptime weighs a fifth, less uptime weighs less [2.5d]', () => {
    const none = scored(rows({})).reliability
    const brief = scored(rows({ down_seconds: 3_600 })).reliability
    const down = scored(rows({ down_seconds: 86_400 })).reliability
    expect(brief).toBeLessThan(none)
    expect(down).toBeCloseTo(0.8 * none, 0)
    expect(scored(rows({ up_seconds: 86_400 })).reliability).toBeGreaterThan(none)
  })

  test('without a completed task it is 0 and never below', () => {
    const score = scored([day(0, { failed: 1_000_000 }), day(3, { failed: 7 })])
    expect(Object.is(score.reliability, 0)).toBe(true)
  })
})

describe('what holds for any record', () => {
  test('every value is a decimal between 0 and 100, zeros and huge days included [2.5a]', () => {
    const random = seeded(1)
    let seen = 0
    for (let run = 0; run < RUNS; run++) {
      const days = randomRollups(random, TODAY, run % 2 ? 1e8 : 1e15)
      const score = scoreAgent(days, TODAY)
      expect(score === null).toBe(tasksMissing(days, TODAY) > 0)
      if (!score) continue
      seen++
      for (const name of ['overall', ...DIMENSIONS] as const) {
        expect(score[name]).toBeGreaterThanOrEqual(0)
        expect(score[name]).toBeLessThanOrEqual(100)
        expect(score[name]).toBe(Number(score[name].toFixed(1)))
      }
      expect(score.confidence).toBeGreaterThan(0)
      expect(score.confidence).toBeLessThanOrEqual(1)
    }
    expect(seen).toBeGreaterThan(RUNS / 2)
  })

  test('days of the largest integers still give a score in range', () => {
    const most = Number.MAX_SAFE_INTEGER
    const huge = {
      completed: most,
      failed: most,
      up_seconds: most,
      down_seconds: most,
      incidents_critical: most,
    }
    const score = scored([day(0, huge), day(1, huge), day(2, { failed: most }), day(3, { completed: most })])
    for (const name of ['overall', ...DIMENSIONS] as const) {
      expect(score[name]).toBeGreaterThanOrEqual(0)
      expect(score[name]).toBeLessThanOrEqual(100)
    }
    expect(score.safety).toBe(0)
  })

  test('the order of the rows does not matter', () => {
    const random = seeded(2)
    for (let run = 0; run < RUNS; run++) {
      const days = randomRollups(random, TODAY)
      expect(scoreAgent(shuffled(days, random), TODAY)).toEqual(scoreAgent(days, TODAY))
    }
  })

  test('rows older than 89 days and rows of the future do not matter [8k]', () => {
    const random = seeded(3)
    for (let run = 0; run < RUNS; run++) {
      const days = randomRollups(random, TODAY)
      const inside = days.filter((row) => row.day <= TODAY && row.day >= dayOfAge(89, TODAY))
      expect(scoreAgent(days, TODAY)).toEqual(scoreAgent(inside, TODAY))
    }
  })

  test('the rows are left as they were', () => {
    const days = Object.freeze(randomRollups(seeded(4), TODAY).map((row) => Object.freeze(row)))
    expect(() => scoreAgent(days, TODAY)).not.toThrow()
  })

  test('one more success today never lowers reliability', () => {
    const random = seeded(5)
    for (let run = 0; run < 4 * RUNS; run++) {
      const days = randomRollups(random, TODAY, run % 2 ? 40 : 1e6)
      const before = scoreAgent(days, TODAY)
      if (!before) continue
      const after = scored(
        changed(days, 0, (row) => ({ ...row, events: row.events + 1, completed: row.completed + 1 })),
      )
      expect(after.reliability).toBeGreaterThanOrEqual(before.reliability)
    }
  })

  test('one more success today never lowers reliability around the day cap', () => {
    for (let tasks = 10; tasks <= 64; tasks++) {
      for (let failed = 0; failed <= tasks; failed++) {
        const past = [day(1, { failed: 10 }), day(2, { completed: 10 }), day(3, { completed: 7, failed: 3 })]
        const today = { completed: tasks - failed, failed }
        const before = scored([...past, day(0, today)])
        const after = scored([...past, day(0, { ...today, completed: today.completed + 1 })])
        expect(after.reliability).toBeGreaterThanOrEqual(before.reliability)
      }
    }
  })

  test('an incident never raises safety, on whatever day [2.5c]', () => {
    const random = seeded(6)
    const fields = ['incidents_info', 'incidents_warning', 'incidents_error', 'incidents_critical'] as const
    for (let run = 0; run < RUNS; run++) {
      const days = randomRollups(random, TODAY)
      const before = scoreAgent(days, TODAY)
      if (!before) continue
      const age = Math.floor(random() * 90)
      for (const field of fields) {
        const after = scored(changed(days, age, (row) => ({ ...row, [field]: row[field] + 1 })))
        expect(after.safety).toBeLessThanOrEqual(before.safety)
        expect(after).toMatchObject({
          reliability: before.reliability,
          accuracy: before.accuracy,
          speed: before.speed,
          consistency: before.consistency,
        })
      }
    }
  })

  test('no volume of work lifts the ceiling of a fresh critical', () => {
    const days = Array.from({ length: 90 }, (_, age) => day(age, { completed: 1e9 }))
    expect(scored(changed(days, 0, (row) => ({ ...row, incidents_critical: 1 }))).safety).toBe(50)
  })
})
