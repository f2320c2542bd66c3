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
 * @param rows rollup rows of these days and of the window before them, in any order
 * @param scores those of the history by day, oldest first: a day without one has that of the day before
 * @param now the score of the last day
 * @param today the last day, `YYYY-MM-DD`
 * @returns `days` days, oldest first
 */
export function historyOf(
  {
    rows,
    scores,
    now,
  }: Readonly<Record<'rows', readonly Rollup[]>> & {
    scores: readonly (readonly [day: string, overall: number])[]
    now: number | null
  },
  today: string,
  days: number,
): HistoryDay[] {
  const sums = new Map<string, Omit<HistoryDay, 'day' | 'score'>>()
  for (const row of rows) {
    const { completed, failed, faults } = sums.get(row.day) ?? { completed: 0, failed: 0, faults: 0 }
    sums.set(row.day, {
      completed: completed + row.completed,
      failed: failed + row.failed,
      faults: faults + faultsOf(row),
    })
  }
  const dayAt = (age: number) => utcDay(new Date(Date.parse(today) - age * DAY_MS))
  const tasksOn = (day: string) => (sums.get(day)?.completed ?? 0) + (sums.get(day)?.failed ?? 0)
  const history: HistoryDay[] = []
  let [tasks, next] = [0, 0]
  let score: number | null = null
  for (let age = days + WINDOW_DAYS - 1; age >= 0; age--) {
    const day = dayAt(age)
    tasks += tasksOn(day) - tasksOn(dayAt(age + WINDOW_DAYS))
    if (age >= days) continue
    for (let known = scores[next]; known && known[0] <= day; known = scores[++next]) score = known[1]
    const { completed, failed, faults } = sums.get(day) ?? { completed: 0, failed: 0, faults: 0 }
    const shown = age === 0 ? now : tasks >= MIN_TASKS ? score : null
    history.push({ day, score: shown, completed, failed, faults })
  }
  return history
}

function faultsOf(row: Rollup): number {
  return row.incidents_info + row.incidents_warning + row.incidents_error + row.incidents_critical
}
