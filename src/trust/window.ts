import { SOURCES } from '../db/enums.ts'
import { dayNumber } from '../lib/time.ts'
import type { Rollup } from './rollup.ts'

export const WINDOW_DAYS = 90
export const RECENT_CRITICAL_DAYS = 30

/** The rows that a score is computed from, oldest first, within a day in the order of `SOURCES`. */
export interface Window {
  rows: readonly Rollup[]
  /** Age of each row in days before today: 0 to 89. */
  ages: readonly number[]
  /** Completed and failed tasks of all sources. */
  tasks: number
  events: number
  /** How many sides (0 to 2) have an outage that began before today and has not ended by its end. */
  openOutages: number
}

/**
 * Selects the rows of the window.
 *
 * @param rows rollup rows, at most one per day and source, in any order
 * @param today the UTC day `YYYY-MM-DD` that has age 0
 * @param openOutages of that day
 * @returns the rows of age 0 to 89 in a fixed order, so that floating-point sums are the same everywhere
 *
 * Source: trust score algorithm 1.0, computation
 */
export function windowOf(rows: readonly Rollup[], today: string, openOutages = 0): Window {
  const last = dayNumber(today)
  const window = { rows: [] as Rollup[], ages: [] as number[], tasks: 0, events: 0, openOutages }
  let [day, age] = ['', 0]
  for (const row of inOrder(rows)) {
    if (row.day !== day) {
      day = row.day
      age = last - dayNumber(day)
    }
    if (!(age >= 0 && age < WINDOW_DAYS)) continue
    window.rows.push(row)
    window.ages.push(age)
    window.tasks += row.completed + row.failed
    window.events += row.events
  }
  return window
}

/**
 * Rollup rows in the order in which they are summed and published: oldest first, within a day in that of `SOURCES`.
 *
 * @param rows in any order; not modified
 */
export function inOrder(rows: readonly Rollup[]): readonly Rollup[] {
  // Rows are usually in order already, and sorting them would take as long as adding them up.
  return rows.every((row, n) => n === 0 || compare(rows[n - 1] as Rollup, row) <= 0)
    ? rows
    : rows.toSorted(compare)
}

function compare(a: Rollup, b: Rollup): number {
  if (a.day === b.day) return SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source)
  return a.day < b.day ? -1 : 1
}
