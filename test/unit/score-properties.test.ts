import { afterAll, describe, expect, test } from 'vitest'
import { SOURCES, type Source } from '../../src/db/enums.ts'
import { LIMITS } from '../../src/trust/claims.ts'
import { judge } from '../../src/trust/dimensions.ts'
import type { Rollup, RollupCounts } from '../../src/trust/rollup.ts'
import { scoreAgent, type TrustScore, toTenths } from '../../src/trust/score.ts'
import { tallyUp } from '../../src/trust/tally.ts'
import { windowOf } from '../../src/trust/window.ts'
import { NIGHTLY } from '../support/nightly.ts'
import { dayOfAge, emptyRow, randomRollups, seeded, shuffled } from '../vectors/rollups.ts'

const TODAY = '2026-06-30'
// A change is followed from the day of the record to 40 days later.
const DAYS = Array.from({ length: 41 }, (_, later) => dayOfAge(-later, TODAY))
const CHECKS = NIGHTLY ? 400_000 : 40_000
const DIMENSIONS = ['reliability', 'accuracy', 'safety', 'speed', 'consistency'] as const
const VALUES = ['overall', ...DIMENSIONS] as const

type Value = (typeof VALUES)[number]
type Change = Partial<RollupCounts>
type Random = () => number

let made = 0
afterAll(() => {
  expect(made).toBeGreaterThanOrEqual(CHECKS)
})

/** Makes a share of all checks: `check` is called with its number until it has counted so many of them. */
function makeChecks(share: number, seed: number, check: (random: Random, run: number) => number): void {
  const random = seeded(NIGHTLY ? seed + 1000 : seed)
  let count = 0
  for (let run = 0; count < share * CHECKS; run++) count += check(random, run)
  made += count
}

const pick = <T>(from: readonly T[], random: Random): T => from[Math.floor(random() * from.length)] as T

const record = (random: Random, sources?: readonly Source[]) =>
  randomRollups(random, TODAY, { largest: random() < 0.5 ? 12 : 1e6, ...(sources && { sources }) })

/** The record with one row changed, which may be a new one. */
function changed(rows: readonly Rollup[], { day, source }: Rollup, change: Change): Rollup[] {
  const old = rows.find((row) => row.day === day && row.source === source) ?? emptyRow(day, source)
  const next = { ...old }
  for (const [field, amount] of Object.entries(change)) next[field as keyof RollupCounts] += amount
  return [...rows.filter((row) => row !== old), next]
}

/** Follows a change of a random row for 40 days; counts the comparisons and throws at one that fails. */
function follow(random: Random, changes: readonly [Change, readonly Value[]][], sign: 1 | -1): number {
  const rows = record(random)
  const before = DAYS.map((today) => scoreAgent(rows, today))
  let count = 0
  for (const [change, values] of changes) {
    const row =
      random() < 0.7 && rows.length > 0
        ? pick(rows, random)
        : emptyRow(dayOfAge(Math.floor(90 * random()), TODAY), pick(SOURCES, random))
    const other = changed(rows, row, change)
    for (const [later, today] of DAYS.entries()) {
      const [was, is] = [before[later], scoreAgent(other, today)]
      if (!was || !is) continue
      count++
      for (const value of values) {
        if (sign * (is[value] - was[value]) >= 0) continue
        const [from, to] = [was[value], is[value]]
        const what: string = JSON.stringify({ change, row, later, value, from, to })
        expect.fail(`${what}\n${JSON.stringify(rows)}`)
      }
    }
  }
  return count
}

const limited = (score: TrustScore, most: number) => {
  for (const value of VALUES) expect(score[value]).toBeLessThanOrEqual(most)
}

describe('a change of one row', () => {
  test('one more completed task lowers nothing but accuracy and speed by its own grade and time', () => {
    const task = { events: 1, completed: 1 }
    const best = { graded_count: 1, graded_milli: 1000, latency_count: 1, latency_satisfied: 1 }
    const others = ['reliability', 'safety', 'consistency'] as const
    makeChecks(0.4, 101, (random) =>
      follow(
        random,
        [
          [task, VALUES],
          [{ ...task, ...best }, VALUES],
          [{ ...task, graded_count: 1, graded_milli: Math.floor(1001 * random()), latency_count: 1 }, others],
        ],
        1,
      ),
    )
  })

  test('one more failure, bad grade, slow response, incident or second of downtime raises nothing [2.5c]', () => {
    makeChecks(0.4, 102, (random) =>
      follow(
        random,
        [
          [{ events: 1, failed: 1 }, VALUES],
          [{ graded_count: 1 }, VALUES],
          [{ latency_count: 1 }, VALUES],
          [{ events: 1, incidents_info: 1 }, VALUES],
          [{ events: 1, incidents_warning: 1 }, VALUES],
          [{ events: 1, incidents_error: 1 }, VALUES],
          [{ events: 1, incidents_critical: 1 }, VALUES],
          [{ down_seconds: 1 }, VALUES],
        ],
        -1,
      ),
    )
  })

  test('a flood of any size moves day by day no more than five tasks do', () => {
    makeChecks(0.03, 106, (random) => {
      const rows = record(random)
      const row = emptyRow(dayOfAge(Math.floor(90 * random()), TODAY), pick(SOURCES, random))
      if (rows.some(({ day, source }) => day === row.day && source === row.source)) return 0
      const [completed, failed] = [Math.floor(1e9 ** random()) + 5, Math.floor(1e9 ** random()) - 1]
      const reading = (change: Change) =>
        judge(tallyUp(windowOf(changed(rows, row, change), TODAY)), LIMITS).reliability.readings[1]?.points
      const flooded = reading({ completed, failed })
      expect(flooded).toBeLessThanOrEqual(reading({ completed: 5 }) ?? 0)
      expect(flooded).toBeGreaterThanOrEqual(reading({ failed: 5 }) ?? 100)
      return 2
    })
  })
})

describe('who reports', () => {
  test('without rows of others nothing exceeds 59.0, without independent ones 77.2', () => {
    makeChecks(0.03, 103, (random, run) => {
      const sources = run % 2 ? (['self'] as const) : (['self', 'peer'] as const)
      const score = scoreAgent(record(random, sources), TODAY)
      if (!score) return 0
      limited(score, run % 2 ? 59 : 77.2)
      return 1
    })
  })

  test('beside 15 tasks of others self-reports change nothing, beside fewer they add a little', () => {
    let [full, thin] = [0, 0]
    makeChecks(0.06, 104, (random) => {
      const rows = record(random, ['peer', 'independent']).slice(0, Math.floor(100 ** random()))
      const quiet = record(random, ['self']).map((row) => ({
        ...row,
        incidents_critical: 0,
        down_seconds: 0,
      }))
      const [without, all] = [scoreAgent(rows, TODAY), scoreAgent([...rows, ...quiet], TODAY)]
      if (!without || !all) return 0
      const judged = judge(tallyUp(windowOf(rows, TODAY)), LIMITS)
      const held = (name: (typeof DIMENSIONS)[number], reading: string) => {
        const claim = judged[name].readings.find((each) => each.reading === reading)?.claim
        return (claim?.good ?? 0) + (claim?.bad ?? 0)
      }
      const tasks = {
        reliability: held('reliability', 'days'),
        accuracy: held('accuracy', 'days'),
        safety: Math.min(held('safety', 'tasks'), held('reliability', 'days')),
        speed: held('speed', 'days'),
        consistency: held('consistency', 'days'),
      }
      for (const name of DIMENSIONS) {
        if (tasks[name] >= LIMITS.self) {
          full++
          expect(all[name]).toBe(without[name])
        } else {
          thin++
          expect(all[name] - without[name]).toBeLessThanOrEqual(15)
        }
      }
      expect(all.overall - without.overall).toBeLessThanOrEqual(12)
      return 1 + DIMENSIONS.length
    })
    expect(Math.min(full, thin)).toBeGreaterThan(CHECKS / 100)
  })
})

describe('when it was done', () => {
  test('the order of the rows changes nothing', () => {
    makeChecks(0.02, 105, (random) => {
      const rows = record(random)
      expect(scoreAgent(shuffled(rows, random), TODAY)).toEqual(scoreAgent(rows, TODAY))
      return 1
    })
  })

  test('no arrangement over the days is worth more than the tasks are, at full confidence', () => {
    makeChecks(0.03, 107, (random) => {
      const rows = record(random)
      const score = scoreAgent(rows, TODAY)
      if (!score) return 0
      const judged = judge(tallyUp(windowOf(rows, TODAY)), LIMITS)
      for (const name of ['reliability', 'accuracy', 'speed'] as const) {
        expect(score[name]).toBeLessThanOrEqual(toTenths(judged[name].readings[0]?.points ?? 0) / 10)
      }
      return 3
    })
  })

  test('a day without events moves the score by ten points at most', () => {
    makeChecks(0.03, 108, (random) => {
      const rows = record(random).filter(({ day }) => day <= TODAY)
      const scores = DAYS.map((today) => scoreAgent(rows, today)?.overall)
      for (const [later, overall] of scores.entries()) {
        const before = scores[later - 1]
        if (overall === undefined || before === undefined) continue
        expect(Math.abs(overall - before)).toBeLessThanOrEqual(10)
      }
      return scores.length - 1
    })
  })
})
