import { describe, expect, test } from 'vitest'
import { reliability } from '../../src/trust/dimensions.ts'
import type { DailyRollup } from '../../src/trust/rollup.ts'
import { scoreAgent, type TrustScore } from '../../src/trust/score.ts'
import { weighDays } from '../../src/trust/window.ts'
import { dayOfAge, emptyDay, randomRollups, seeded } from '../vectors/rollups.ts'

const TODAY = '2026-06-30'
const MILLION = 1_000_000
const RESPONSE_MS = 1_500

function scored(days: readonly DailyRollup[]): TrustScore {
  const score = scoreAgent(days, TODAY)
  if (!score) throw new Error('expected a score')
  return score
}

/** How many of `tasks` come out well when each does with this chance. */
function some(tasks: number, chance: number, random: () => number): number {
  let count = 0
  for (let n = 0; n < tasks; n++) if (random() < chance) count++
  return count
}

interface Outcome {
  completed: number
  quality: number
  satisfied: number
}

/** A day on which every task is reported with grade and response time. */
function workday(age: number, tasks: number, { completed, quality, satisfied }: Outcome): DailyRollup {
  return {
    ...emptyDay(dayOfAge(age, TODAY)),
    events: tasks,
    completed,
    failed: tasks - completed,
    graded_count: tasks,
    graded_milli: tasks * quality,
    latency_count: tasks,
    latency_ms: tasks * RESPONSE_MS,
    latency_satisfied: satisfied,
    latency_tolerating: tasks - satisfied,
    latency_log_micro: tasks * Math.round(1e6 * Math.log(RESPONSE_MS)),
  }
}

const perfect = (tasks: number): DailyRollup =>
  workday(0, tasks, { completed: tasks, quality: 1000, satisfied: tasks })

/** 90 days of at least three tasks, each finished with a chance of 60 %, graded 0.5 to 0.6, nine in ten fast. */
function mediocre(random: () => number): DailyRollup[] {
  const most = 3 + Math.floor(500 ** random())
  const quality = 500 + Math.floor(101 * random())
  return Array.from({ length: 90 }, (_, age) => {
    const tasks = 3 + Math.floor((most - 2) * random())
    const [completed, satisfied] = [some(tasks, 0.6, random), some(tasks, 0.9, random)]
    return workday(age, tasks, { completed, quality, satisfied })
  })
}

const flooded = (days: DailyRollup[]) => [...days.slice(1), perfect(MILLION)]

describe('a flood of a million successes in one day', () => {
  test('moves a 60 % agent of 90 days with three tasks or more by less than three points', () => {
    const random = seeded(17)
    let farthest = 0
    for (let run = 0; run < 300; run++) {
      const days = mediocre(random)
      const [before, after] = [scored(days), scored(flooded(days))]
      expect(after.events_considered).toBeGreaterThan(MILLION)
      farthest = Math.max(farthest, Math.abs(after.overall - before.overall))
    }
    expect(farthest).toBeGreaterThan(1)
    expect(farthest).toBeLessThan(3)
  })

  test('counts no more than a tenth of it would', () => {
    const random = seeded(18)
    for (let run = 0; run < 100; run++) {
      const days = mediocre(random).slice(1)
      const [score, tenth] = [MILLION, MILLION / 10].map((n) => scored([...days, perfect(n)]))
      expect({ ...score, events_considered: 0 }).toEqual({ ...tenth, events_considered: 0 })
    }
  })

  test('makes nobody of a newcomer: the confidence of one day is a fourteenth', () => {
    const score = scored([perfect(MILLION)])
    expect(score.confidence).toBe(1 / 14)
    expect(score.overall).toBeLessThan(53)
  })
})

describe('a second of uptime', () => {
  // h · 100 · U / (U + D) with h = 0.2 · (U + D) / 604800: at most 20 points a week of seconds.
  const POINTS_PER_SECOND = 20 / 604_800

  test('moves reliability by no more than its share of a week: far below a tenth', () => {
    const random = seeded(19)
    for (let run = 0; run < 500; run++) {
      const days = randomRollups(random, TODAY, 1e6)
      if (!scoreAgent(days, TODAY)) continue
      const today = days.find((row) => row.day === TODAY) ?? emptyDay(TODAY)
      const more = [...days.filter((row) => row !== today), { ...today, up_seconds: today.up_seconds + 1 }]
      const [before, after] = [days, more].map((rows) => reliability(weighDays(rows, TODAY)))
      expect(Math.abs(Number(after) - Number(before))).toBeLessThanOrEqual(POINTS_PER_SECOND + 1e-9)
    }
  })

  test('as all the uptime there is moves the score by a rounding at most', () => {
    const random = seeded(20)
    for (let run = 0; run < 200; run++) {
      const days = mediocre(random)
      const more = days.map((row, age) => (age === 0 ? { ...row, up_seconds: 1 } : row))
      const moved = Math.round(10 * (scored(more).overall - scored(days).overall))
      expect(Math.abs(moved)).toBeLessThanOrEqual(1)
    }
  })
})
