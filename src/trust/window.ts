import { DAY_MS } from '../lib/time.ts'
import type { DailyRollup } from './rollup.ts'

export const WINDOW_DAYS = 90
export const WORK_HALF_LIFE_DAYS = 30
const INCIDENT_HALF_LIFE_DAYS = 90
// Day cap against floods: three times the median finished day, within these bounds.
const CAP_FACTOR = 3
const CAP_MIN_TASKS = 10
const CAP_MAX_TASKS = 500

/** A rollup row inside of the window, with the weights of its age and of the day cap. */
export interface WeighedDay {
  row: DailyRollup
  /** Days before today: 0 to 89. */
  age: number
  /** Completed and failed tasks: n. */
  tasks: number
  /** Tasks under the day cap: c·n, an integer. */
  counted: number
  /** What one task of the day weighs in its day: c. */
  share: number
  /** What one second of the day weighs in the window: w. */
  timeWeight: number
  /** What one task of the day weighs in the window: w·c. */
  taskWeight: number
  /** What one incident of the day weighs in the window: v. */
  incidentWeight: number
}

/**
 * Chooses the rows of the window and gives each its weights.
 *
 * @param days rollup rows, at most one a day, in any order
 * @param today the UTC day `YYYY-MM-DD` that has age 0
 * @returns the rows of age 0 to 89, oldest first: every sum runs in this order, for the same bits everywhere
 *
 * Source: trust score algorithm 1.0, weights and day cap
 */
export function weighDays(days: readonly DailyRollup[], today: string): WeighedDay[] {
  const todayMs = Date.parse(today)
  const aged = days
    .map((row) => ({ row, age: (todayMs - Date.parse(row.day)) / DAY_MS, tasks: row.completed + row.failed }))
    .filter(({ age }) => age >= 0 && age < WINDOW_DAYS)
    .sort((a, b) => b.age - a.age)
  const cap = dayCap(aged)
  return aged.map(({ row, age, tasks }) => {
    const share = tasks > cap ? cap / tasks : 1
    const timeWeight = 2 ** (-age / WORK_HALF_LIFE_DAYS)
    return {
      row,
      age,
      tasks,
      // Not share · tasks: that is 9.999… for some capped days, and `provisional` turns on a whole number.
      counted: Math.min(tasks, cap),
      share,
      timeWeight,
      taskWeight: timeWeight * share,
      incidentWeight: 2 ** (-age / INCIDENT_HALF_LIFE_DAYS),
    }
  })
}

/**
 * The median number of tasks of the finished days that have any; 0 when there is none.
 *
 * @param days the window, in any order
 *
 * Source: trust score algorithm 1.0, day cap
 */
export function medianTasks(days: readonly { age: number; tasks: number }[]): number {
  const finished = days.filter(({ age, tasks }) => age >= 1 && tasks > 0).map(({ tasks }) => tasks)
  return new Float64Array(finished).sort()[Math.floor(finished.length / 2)] ?? 0
}

function dayCap(days: readonly { age: number; tasks: number }[]): number {
  return Math.min(CAP_MAX_TASKS, Math.max(CAP_MIN_TASKS, CAP_FACTOR * medianTasks(days)))
}
