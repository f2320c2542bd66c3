import { SOURCES, type Source } from '../../src/db/enums.ts'
import { ROLLUP_FIELDS } from '../../src/db/rollup-fields.ts'
import { DAY_MS } from '../../src/lib/time.ts'
import { type Explanation, explain } from '../../src/trust/explain.ts'
import { NOTHING, type Rollup } from '../../src/trust/rollup.ts'
import { scoreAgent, type TrustScore } from '../../src/trust/score.ts'
import { windowOf } from '../../src/trust/window.ts'

/** Similar days of a case: the reports of one source on each. */
export interface Stretch {
  source: Source
  /** The youngest age. */
  from: number
  /** The oldest age. */
  to: number
  /** The distance between the days; 1 by default. */
  step?: number
  tasks?: number
  completed?: number
  /** The grade of every completed task; none is graded when absent. */
  quality?: number
  /** The share of completed tasks of at most 2 s, the rest of at most 8 s; no response times when absent. */
  satisfied?: number
  /** The share of completed tasks that took longer; none when absent. */
  slow?: number
  /** Incidents of severity warning, and critical events. */
  warning?: number
  critical?: number
  down_seconds?: number
}

// By today and age, because records use the same days many times.
const DAYS = new Map<string, Map<number, string>>()

/** The UTC day that lies `age` days before `today`. */
export function dayOfAge(age: number, today: string): string {
  const days = DAYS.get(today) ?? new Map<number, string>()
  if (days.size === 0) DAYS.set(today, days)
  const day = days.get(age) ?? new Date(Date.parse(today) - age * DAY_MS).toISOString().slice(0, 10)
  days.set(age, day)
  return day
}

/** A rollup row of zeros. */
export const emptyRow = (day: string, source: Source): Rollup => ({ day, source, ...NOTHING })

/** The score of rows with enough tasks. */
export function scoreOf(rows: readonly Rollup[], today: string, openOutages = 0): TrustScore {
  const score = scoreAgent(rows, today, openOutages)
  if (!score) throw new Error('expected a score')
  return score
}

/** The explanation of the score of rows with enough tasks. */
export const explanationOf = (rows: readonly Rollup[], today: string, openOutages = 0): Explanation =>
  explain(scoreOf(rows, today, openOutages), windowOf(rows, today, openOutages))

/**
 * The rows of a tie of `score-ties.json`.
 *
 * @param more added to `graded_milli` of the first row
 */
export function rowsOfTie(
  tie: Record<'first' | 'good' | 'bad', number[]>,
  today: string,
  more: number,
): Rollup[] {
  const [age = 0, graded = 0, milli = 0] = tie.first
  const row = (day: number, count: number, graded_milli: number): Rollup => ({
    ...emptyRow(dayOfAge(day, today), 'independent'),
    events: count,
    completed: count,
    graded_count: count,
    graded_milli,
  })
  return [
    row(age, graded, milli + more),
    ...tie.good.map((day) => row(day, 5, 5000)),
    ...tie.bad.map((day) => row(day, 5, 0)),
  ]
}

/** A number of days with 20 good tasks, the newest of a given age, with changes to all of them. */
export function work(days: number, from = 0, fields: Partial<Stretch> = {}): Stretch {
  const to = from + days - 1
  return { source: 'independent', from, to, tasks: 20, quality: 1, satisfied: 1, ...fields }
}

/** Additional reports of one source on a day. */
export function only(age: number, fields: Partial<Stretch>, source: Source = 'independent'): Stretch {
  return { source, from: age, to: age, ...fields }
}

/** A critical event on a day, reported by an established platform. */
export function criticalAt(age: number): Stretch {
  return only(age, { critical: 1 })
}

/** The rollup rows of a case: one for each day and source, added up where stretches overlap. */
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
  const {
    source,
    tasks = 0,
    completed = tasks,
    quality,
    satisfied,
    slow = 0,
    warning = 0,
    critical = 0,
  } = stretch
  const prompt = satisfied === undefined ? 0 : Math.round(satisfied * completed)
  return {
    ...emptyRow(day, source),
    events: tasks + warning + critical,
    completed,
    failed: tasks - completed,
    ...(quality !== undefined && {
      graded_count: completed,
      graded_milli: completed * Math.round(1000 * quality),
    }),
    ...(satisfied !== undefined && {
      latency_count: completed,
      latency_satisfied: prompt,
      latency_tolerating: Math.max(0, completed - prompt - Math.round(slow * completed)),
    }),
    incidents_warning: warning,
    incidents_critical: critical,
    down_seconds: stretch.down_seconds ?? 0,
  }
}

/**
 * A generator of numbers in [0, 1) that repeats for the same seed.
 *
 * Source: mulberry32, by Tommy Ettinger (public domain)
 */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * Rows that events could produce, in random order: from one, two, or all sources, of ages −5 to 119, with gaps, and with 0
 * to `largest` tasks per row, mostly few.
 */
export function randomRollups(
  random: () => number,
  today: string,
  { largest = 1e8, sources = SOURCES }: { largest?: number; sources?: readonly Source[] } = {},
): Rollup[] {
  const rows = sources.flatMap((source) =>
    random() < 0.3 && sources.length > 1 ? [] : rowsOfSource(random, today, source, largest),
  )
  return shuffled(rows, random)
}

function rowsOfSource(random: () => number, today: string, source: Source, largest: number): Rollup[] {
  const upTo = (limit: number) => Math.floor(random() * (limit + 1))
  const rarely = (limit: number) => (random() < 0.1 ? upTo(limit) : 0)
  const [presence, skill] = [random() ** 2, random()]
  const scale = random() < 0.5 ? 60 : largest
  const rows: Rollup[] = []
  for (let age = -5; age < 120; age++) {
    if (random() > presence) continue
    const tasks = random() < 0.2 ? 0 : Math.floor(scale ** random())
    const completed = random() < 0.2 ? upTo(tasks) : Math.round(tasks * skill)
    const graded = random() < 0.3 ? 0 : upTo(completed)
    const timed = random() < 0.3 ? 0 : upTo(completed)
    const satisfied = upTo(timed)
    const incidents = [rarely(30), rarely(10), rarely(5), random() < 0.03 ? upTo(3) : 0] as const
    rows.push({
      day: dayOfAge(age, today),
      source,
      events: tasks + upTo(20) + incidents[0] + incidents[1] + incidents[2] + incidents[3],
      completed,
      failed: tasks - completed,
      graded_count: graded,
      graded_milli: upTo(1000 * graded),
      latency_count: timed,
      latency_satisfied: satisfied,
      latency_tolerating: upTo(timed - satisfied),
      incidents_info: incidents[0],
      incidents_warning: incidents[1],
      incidents_error: incidents[2],
      incidents_critical: incidents[3],
      down_seconds: rarely(200_000),
    })
  }
  return rows
}

/** The same items in another order. */
function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
