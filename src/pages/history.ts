import { DAY_MS, utcDay } from '../lib/time.ts'
import type { Rollup } from '../trust/rollup.ts'
import { MIN_TASKS } from '../trust/score.ts'
import { WINDOW_DAYS } from '../trust/window.ts'

/** How far back a page shows the history of an agent. */
export const HISTORY_DAYS = [30, 90, 365] as const
export type HistoryDays = (typeof HISTORY_DAYS)[number]

/** What is plotted of a UTC day. */
export interface HistoryDay {
  /** `YYYY-MM-DD` */
  day: string
  /** Null while there was too little activity for one. */
  score: number | null
  completed: number
  failed: number
  /** Incidents and `error` events. */
  faults: number
}

/**
 * Puts an agent's scores and tasks together day by day.
 *
 * @param rows rollup rows of these days, in any order; those of other days are let be
 * @param earlier completed and failed tasks of days before, of which there are no rows, as far as the window reaches back
 * @param scores those of the history by day, oldest first: a day without one has that of the day before
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
  const last = Date.parse(today) / DAY_MS
  const length = days + WINDOW_DAYS
  const sums = Array.from({ length }, () => ({ completed: 0, failed: 0, faults: 0 }))
  const sumAt = (day: string) => sums[length - 1 - last + Date.parse(day) / DAY_MS]
  for (const [day, tasks] of earlier) {
    const sum = sumAt(day)
    if (sum) sum.completed += tasks
  }
  let [day, sum] = ['', sums[0]]
  for (const row of rows) {
    if (row.day !== day) [day, sum] = [row.day, sumAt(row.day)]
    if (!sum) continue
    sum.completed += row.completed
    sum.failed += row.failed
    sum.faults += faultsOf(row)
  }
  const tasksAt = (n: number) => (sums[n]?.completed ?? 0) + (sums[n]?.failed ?? 0)
  const history: HistoryDay[] = []
  let [tasks, next] = [0, 0]
  let score: number | null = null
  for (const [n, sum] of sums.entries()) {
    tasks += tasksAt(n) - tasksAt(n - WINDOW_DAYS)
    if (n < WINDOW_DAYS) continue
    const day = utcDay(new Date((last - length + 1 + n) * DAY_MS))
    for (let known = scores[next]; known && known[0] <= day; known = scores[++next]) score = known[1]
    const isLast = n === length - 1
    history.push({ day, score: isLast ? now : tasks >= MIN_TASKS ? score : null, ...sum })
  }
  return history
}

function faultsOf(row: Rollup): number {
  return row.incidents_info + row.incidents_warning + row.incidents_error + row.incidents_critical
}
