import type { Source } from '../../src/db/enums.ts'
import { ROLLUP_FIELDS } from '../../src/db/rollup-fields.ts'
import type { Rollup } from '../../src/trust/rollup.ts'

const DAY_MS = 86_400_000

/** Days of a worked case that are alike: what one source says of each. */
export interface Stretch {
  source: Source
  /** The youngest age. */
  from: number
  /** The oldest age. */
  to: number
  /** Every so many days; 1 when absent. */
  step?: number
  tasks?: number
  completed?: number
  /** The grade of every completed task; none is graded when absent. */
  quality?: number
  /** The share of completed tasks of at most 2 s, the rest of at most 8 s; no response times when absent. */
  satisfied?: number
  critical?: number
  down_seconds?: number
}

/** The UTC day that lies `age` days before `today`. */
export function dayOfAge(age: number, today: string): string {
  return new Date(Date.parse(today) - age * DAY_MS).toISOString().slice(0, 10)
}

/** A rollup row of zeros. */
export function emptyRow(day: string, source: Source): Rollup {
  return {
    day,
    source,
    events: 0,
    completed: 0,
    failed: 0,
    graded_count: 0,
    graded_milli: 0,
    latency_count: 0,
    latency_satisfied: 0,
    latency_tolerating: 0,
    incidents_info: 0,
    incidents_warning: 0,
    incidents_error: 0,
    incidents_critical: 0,
    down_seconds: 0,
  }
}

/** The rollup rows of a worked case: one for each day and source, added up where stretches meet. */
export function rowsOf(record: readonly Stretch[], today: string): Rollup[] {
  const rows = record.flatMap((stretch) => {
    const { from, to, step = 1 } = stretch
    const count = Math.floor((to - from) / step) + 1
    return Array.from({ length: count }, (_, n) => dayOf(stretch, dayOfAge(from + n * step, today)))
  })
  const sums = new Map<string, Rollup>()
  for (const row of rows) {
    const key = `${row.day} ${row.source}`
    const sum = sums.get(key)
    if (!sum) sums.set(key, row)
    else for (const field of ROLLUP_FIELDS) sum[field] += row[field]
  }
  return [...sums.values()]
}

function dayOf(stretch: Stretch, day: string): Rollup {
  const { source, tasks = 0, completed = tasks, quality, satisfied, critical = 0 } = stretch
  const prompt = satisfied === undefined ? 0 : Math.round(satisfied * completed)
  return {
    ...emptyRow(day, source),
    events: tasks + critical,
    completed,
    failed: tasks - completed,
    ...(quality !== undefined && {
      graded_count: completed,
      graded_milli: completed * Math.round(1000 * quality),
    }),
    ...(satisfied !== undefined && {
      latency_count: completed,
      latency_satisfied: prompt,
      latency_tolerating: completed - prompt,
    }),
    incidents_critical: critical,
    down_seconds: stretch.down_seconds ?? 0,
  }
}
