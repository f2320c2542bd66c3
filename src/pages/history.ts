import { dayNumber, dayOf } from '../lib/time.ts'
import type { Rollup } from '../trust/rollup.ts'
import { MIN_TASKS } from '../trust/score.ts'
import { WINDOW_DAYS } from '../trust/window.ts'

export const HISTORY_DAYS = [30, 90, 365] as const
export type HistoryDays = (typeof HISTORY_DAYS)[number]

/** The plotted values of a UTC day. */
export interface HistoryDay {
  /** `YYYY-MM-DD` */
  day: string
  /** Null if there was too little activity. */
  score: number | null
  completed: number
  failed: number
  /** Incidents and `error` events. */
  faults: number
}

/**
 * Combines an agent's scores and tasks day by day.
 *
 * @param rows rollup rows in any order; rows of other days are ignored
 * @param earlier number of tasks of earlier days without rows that are in the window of the first days
 * @param scores scores by day, oldest first; a day without a score has that of the previous day
 * @param now the score of the last day
 * @param today the last day, `YYYY-MM-DD`
 * @returns `days` days, oldest first
 */
export function historyOf(
  given: {
    rows: readonly Rollup[]
    earlier: readonly (readonly [day: string, tasks: number])[]
    scores: readonly (readonly [day: string, overall: number])[]
    now: number | null
  },
  today: string,
  days: number,
): HistoryDay[] {
  const { rows, earlier, scores, now } = given
  const length = days + WINDOW_DAYS
  const first = dayNumber(today) - length + 1
  const [completed, failed, faults] = [
    new Float64Array(length),
    new Float64Array(length),
    new Float64Array(length),
  ]
  const add = (sums: Float64Array, n: number, value: number) => {
    sums[n] = (sums[n] ?? 0) + value // typed arrays ignore an index out of range
  }
  for (const [day, tasks] of earlier) add(completed, dayNumber(day) - first, tasks)
  let [day, n] = ['', 0]
  for (const row of rows) {
    if (row.day !== day) [day, n] = [row.day, dayNumber(row.day) - first]
    add(completed, n, row.completed)
    add(failed, n, row.failed)
    add(faults, n, faultsOf(row))
  }
  const at = (sums: Float64Array, n: number) => sums[n] ?? 0
  const tasksAt = (n: number) => at(completed, n) + at(failed, n)
  const history: HistoryDay[] = []
  let [tasks, next] = [0, 0]
  let score: number | null = null
  for (let n = 0; n < length; n++) {
    tasks += tasksAt(n) - tasksAt(n - WINDOW_DAYS)
    if (n < WINDOW_DAYS) continue
    const day = dayOf(first + n)
    for (let known = scores[next]; known && known[0] <= day; known = scores[++next]) score = known[1]
    const shown = n === length - 1 ? now : tasks >= MIN_TASKS ? score : null
    history.push({
      day,
      score: shown,
      completed: at(completed, n),
      failed: at(failed, n),
      faults: at(faults, n),
    })
  }
  return history
}

/** Without the days before the first score or event, but at least a week. */
export function fromItsStart(history: readonly HistoryDay[]): HistoryDay[] {
  const first = history.findIndex(
    ({ score, completed, failed, faults }) => score !== null || completed + failed + faults > 0,
  )
  return history.slice(Math.min(first < 0 ? history.length : first, history.length - 7))
}

function faultsOf(row: Rollup): number {
  return row.incidents_info + row.incidents_warning + row.incidents_error + row.incidents_critical
}
