import { describe, expect, test } from 'vitest'
import { SOURCES, type Source } from '../../src/db/enums.ts'
import { LIMITS } from '../../src/trust/claims.ts'
import { DIMENSIONS, type Judgment, judge } from '../../src/trust/dimensions.ts'
import type { Rollup, RollupCounts } from '../../src/trust/rollup.ts'
import { scoreAgent } from '../../src/trust/score.ts'
import { FULL_DAY_TASKS, tallyUp } from '../../src/trust/tally.ts'
import { inOrder, windowOf } from '../../src/trust/window.ts'
import { pick } from '../support/climb.ts'
import { LONG_SEARCH } from '../support/long-search.ts'
import { dayOfAge, emptyRow, randomRollups, seeded } from '../vectors/rollups.ts'

const TODAY = '2026-06-30'
// A change is followed from the day of the record to 40 days later.
const DAYS = Array.from({ length: 41 }, (_, later) => dayOfAge(-later, TODAY))
const CHECKS = LONG_SEARCH ? 400_000 : 20_000
const VALUES = ['overall', ...DIMENSIONS] as const

type Value = (typeof VALUES)[number]
type Change = Partial<RollupCounts>
type Random = () => number

/** Calls `check`, which returns how many comparisons it made, until it has made this share of all. */
function makeChecks(share: number, seed: number, check: (random: Random, run: number) => number): void {
  const random = seeded(LONG_SEARCH ? seed + 1000 : seed)
  let count = 0
  for (let run = 0; count < share * CHECKS; run++) count += check(random, run)
}

const anyRows = (random: Random, sources?: readonly Source[]) =>
  randomRollups(random, TODAY, { largest: random() < 0.5 ? 12 : 1e6, ...(sources && { sources }) })

/** A random record, oldest day first as the store reads it. Sorted once, because that takes as long as the score. */
const record = (random: Random, sources?: readonly Source[]) => inOrder(anyRows(random, sources))

/** The record with a change to one row, which is added if it is missing. */
function changed(rows: readonly Rollup[], { day, source }: Rollup, change: Change): readonly Rollup[] {
  const index = rows.findIndex((row) => row.day === day && row.source === source)
  const next = { ...(rows[index] ?? emptyRow(day, source)) }
  for (const [field, amount] of Object.entries(change)) next[field as keyof RollupCounts] += amount
  return index < 0 ? inOrder([...rows, next]) : rows.with(index, next)
}

/** Compares the scores with and without a change of a random row over 40 days; returns the number of comparisons. */
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
        fail({ change, row, today, value, was: was[value], is: is[value] }, rows)
      }
    }
  }
  return count
}

/** The row with its completed tasks and five more, all with the best grade and response time, and no faults. */
function flawless({ day, source, completed: tasks }: Rollup): Rollup {
  const completed = tasks + FULL_DAY_TASKS
  return {
    ...emptyRow(day, source),
    events: completed,
    completed,
    graded_count: completed,
    graded_milli: 1000 * completed,
    latency_count: completed,
    latency_satisfied: completed,
  }
}

const judged = (rows: readonly Rollup[], today: string) => judge(tallyUp(windowOf(rows, today)))

/** For each dimension, how many tasks the evidence E from cap_5 has. */
function tasksHeld(rows: readonly Rollup[], today: string): Record<(typeof DIMENSIONS)[number], number> {
  const { reliability, accuracy, safety, speed, consistency } = judged(rows, today)
  const held = ({ readings }: Judgment, index: number) => {
    const { good = 0, bad = 0 } = readings[index]?.claim ?? {}
    return good + bad
  }
  return {
    reliability: held(reliability, 1),
    accuracy: held(accuracy, 1),
    safety: Math.min(held(safety, 0), held(reliability, 1)),
    speed: held(speed, 1),
    consistency: held(consistency, 0),
  }
}

/** Runs a check for each of the 41 days; returns how many days had something to check. */
function eachDay(check: (today: string) => boolean): number {
  return DAYS.filter((today) => check(today)).length
}

/** Used in place of an `expect` per check, which takes as long as the score. */
function fail(what: object, rows: readonly Rollup[]): never {
  return expect.fail(`${JSON.stringify(what)}\n${JSON.stringify(rows)}`)
}

describe('a change of one row', () => {
  test('one more completed task lowers at most accuracy and speed, by its own grade and response time', () => {
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

  test('one more failure, bad grade, slow response, incident or second of downtime raises nothing', () => {
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

  test('an open outage raises nothing, and a second one changes nothing', () => {
    makeChecks(0.03, 109, (random) => {
      const rows = record(random)
      return eachDay((today) => {
        const [up, down, both] = [0, 1, 2].map((open) => scoreAgent(rows, today, open))
        if (!up || !down) return false
        for (const value of VALUES) if (down[value] > up[value]) fail({ today, value, up, down }, rows)
        if (JSON.stringify(down) !== JSON.stringify(both)) fail({ today, down, both }, rows)
        return true
      })
    })
  })
})

describe('the sources of reports', () => {
  test('self-reports and unproven ones alone never exceed 59.0, and with peer reports 77.2', () => {
    makeChecks(0.03, 103, (random, run) => {
      const sources = run % 2 ? (['self', 'unproven'] as const) : (['self', 'unproven', 'peer'] as const)
      // Only flawless records come close.
      const rows = run % 4 < 2 ? record(random, sources) : record(random, sources).map(flawless)
      return eachDay((today) => {
        const score = scoreAgent(rows, today)
        if (!score) return false
        if (Math.max(...VALUES.map((name) => score[name])) > (run % 2 ? 59 : 77.2)) fail(score, rows)
        return true
      })
    })
  })

  test('self-reports change nothing next to 15 tasks of others, and add little next to fewer; unproven ones neither', () => {
    let [full, thin] = [0, 0]
    makeChecks(0.06, 104, (random, run) => {
      const source = run % 2 ? 'self' : 'unproven'
      const reported = anyRows(
        random,
        run % 2 ? ['unproven', 'peer', 'independent'] : ['peer', 'independent'],
      )
      const rows = inOrder(reported.slice(0, Math.floor(100 ** random())))
      const quiet = record(random, [source]).map((row) => ({
        ...row,
        incidents_critical: 0,
        down_seconds: 0,
      }))
      const both = inOrder([...rows, ...quiet])
      return eachDay((today) => {
        const [without, all] = [scoreAgent(rows, today), scoreAgent(both, today)]
        if (!without || !all) return false
        const tasks = tasksHeld(rows, today)
        for (const name of DIMENSIONS) {
          const added = all[name] - without[name]
          if (tasks[name] >= LIMITS.self) full++
          else thin++
          // What a weaker source saw may lower the fortnight, unless it is the operator.
          const isSame = added === 0 || (source === 'unproven' && added < 0)
          if (tasks[name] >= LIMITS.self ? !isSame : added > 15) fail({ today, name, tasks, added }, both)
        }
        if (all.overall - without.overall > 15) fail({ today, without, all }, both)
        return true
      })
    })
    expect(Math.min(full, thin)).toBeGreaterThan(CHECKS / 100)
  })
})
