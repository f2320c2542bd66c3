import type { Source } from '../db/enums.ts'
import { eachField } from '../db/rollup-fields.ts'
import { dayNumber, dayOf } from '../lib/time.ts'
import type { Rollup } from './rollup.ts'
import { scoreAgent } from './score.ts'

/** The work that `raisedBy` assumes. */
export const RAISING = { days: 14, tasks: 5 } as const

/**
 * The score that an agent would have after two weeks of good work: each day five completed tasks with full grades and
 * prompt responses, all reported by one source.
 *
 * @param rows the agent's rollup rows, in any order
 * @param today the UTC day `YYYY-MM-DD` that has age 0
 * @param openOutages as for `scoreAgent`; assumed to stay as they are
 * @returns `overall` on the last of these days, 0.0 to 100.0
 */
export function raisedBy(
  source: Source,
  rows: readonly Rollup[],
  today: string,
  openOutages: number,
): number {
  const { days, tasks } = RAISING
  const start = dayNumber(today)
  const work = Array.from(
    { length: days },
    (_, n): Rollup => ({
      ...eachField(() => 0),
      day: dayOf(start + n + 1),
      source,
      events: tasks,
      completed: tasks,
      graded_count: tasks,
      graded_milli: 1000 * tasks,
      latency_count: tasks,
      latency_satisfied: tasks,
    }),
  )
  return scoreAgent([...rows, ...work], dayOf(start + days), openOutages)?.overall ?? 0
}
