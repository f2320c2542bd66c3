import type { Source } from '../db/enums.ts'
import { dayNumber, dayOf } from '../lib/time.ts'
import { NOTHING, type Rollup } from './rollup.ts'
import { scoreAgent } from './score.ts'

/** The work that `scoreAfter` assumes. */
export const GOOD_WORK = { days: 14, tasks: 5 } as const

/**
 * The score that an agent would have after two weeks of good work: each day five completed tasks with full grades and
 * prompt responses, all reported by one source.
 *
 * @param source null for two weeks without a task
 * @param rows the agent's rollup rows, in any order
 * @param today the UTC day `YYYY-MM-DD` that has age 0
 * @param openOutages as for `scoreAgent`; assumed to stay as they are
 * @returns `overall` on the last of these days, 0.0 to 100.0; null with too few tasks
 */
export function scoreAfter(
  source: Source | null,
  rows: readonly Rollup[],
  today: string,
  openOutages: number,
): number | null {
  const { days, tasks } = GOOD_WORK
  const start = dayNumber(today)
  const work = Array.from(
    { length: source ? days : 0 },
    (_, n): Rollup => ({
      ...NOTHING,
      day: dayOf(start + n + 1),
      source: source ?? 'self',
      events: tasks,
      completed: tasks,
      graded_count: tasks,
      graded_milli: 1000 * tasks,
      latency_count: tasks,
      latency_satisfied: tasks,
    }),
  )
  return scoreAgent([...rows, ...work], dayOf(start + days), openOutages)?.overall ?? null
}
