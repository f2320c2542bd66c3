import type { DailyRollup } from '../../src/trust/rollup.ts'

const DAY_MS = 86_400_000
const RESPONSE_MS = 1_500

/** A worked case of trust-score.json: every day alike but for what is said. */
export interface WorkRecord {
  days: number
  tasks: number
  /** Completed tasks of the days of age 0, 1, …, repeated in turn. */
  completed: number[]
  /** The grade of every task, or null when none is graded. */
  quality: number | null
  critical_age?: number
  /** Today has this many tasks instead, all completed, graded 1 and satisfied. */
  flood_today?: number
}

/** The UTC day that lies `age` days before `today`. */
export function dayOfAge(age: number, today: string): string {
  return new Date(Date.parse(today) - age * DAY_MS).toISOString().slice(0, 10)
}

/** A rollup row of zeros. */
export function emptyDay(day: string): DailyRollup {
  return {
    day,
    events: 0,
    completed: 0,
    failed: 0,
    graded_count: 0,
    graded_milli: 0,
    latency_count: 0,
    latency_ms: 0,
    latency_satisfied: 0,
    latency_tolerating: 0,
    latency_log_micro: 0,
    incidents_info: 0,
    incidents_warning: 0,
    incidents_error: 0,
    incidents_critical: 0,
    up_seconds: 0,
    down_seconds: 0,
  }
}

/** The rollup rows of a worked case. */
export function rowsOf(record: WorkRecord, today: string): DailyRollup[] {
  return Array.from({ length: record.days }, (_, age) => {
    const flood = age === 0 ? record.flood_today : undefined
    const tasks = flood ?? record.tasks
    const completed = flood ?? record.completed[age % record.completed.length] ?? 0
    const quality = flood ? 1 : record.quality
    const satisfied = flood ?? Math.round(0.9 * tasks)
    const critical = age === record.critical_age ? 1 : 0
    return {
      ...emptyDay(dayOfAge(age, today)),
      events: tasks + critical,
      completed,
      failed: tasks - completed,
      graded_count: quality === null ? 0 : tasks,
      graded_milli: quality === null ? 0 : tasks * Math.round(1000 * quality),
      latency_count: tasks,
      latency_ms: tasks * RESPONSE_MS,
      latency_satisfied: satisfied,
      latency_tolerating: tasks - satisfied,
      latency_log_micro: tasks * Math.round(1e6 * Math.log(RESPONSE_MS)),
      incidents_critical: critical,
    }
  })
}

/** A generator of numbers in [0, 1) that repeats for the same seed (mulberry32). */
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
 * Rows that events could have made, in no order: ages −5 to 119, with gaps, sizes from nothing to `largest`
 * tasks a day, most of them small.
 */
export function randomRollups(random: () => number, today: string, largest = 1e8): DailyRollup[] {
  const upTo = (limit: number) => Math.floor(random() * (limit + 1))
  const rarely = (limit: number) => (random() < 0.1 ? upTo(limit) : 0)
  const presence = random()
  const scale = random() < 0.5 ? 60 : largest
  const skill = random()
  const rows: DailyRollup[] = []
  for (let age = -5; age < 120; age++) {
    if (random() > presence) continue
    const tasks = random() < 0.2 ? 0 : Math.floor(scale ** random())
    const completed = random() < 0.2 ? upTo(tasks) : Math.round(tasks * skill)
    const graded = random() < 0.3 ? 0 : upTo(tasks)
    const answers = random() < 0.3 ? 0 : upTo(tasks)
    const satisfied = upTo(answers)
    const tolerating = upTo(answers - satisfied)
    const meanLog = random() * Math.log(86_400_000)
    const incidents = [rarely(30), rarely(10), rarely(5), random() < 0.03 ? upTo(3) : 0] as const
    rows.push({
      day: dayOfAge(age, today),
      events: tasks + upTo(20) + incidents[0] + incidents[1] + incidents[2] + incidents[3],
      completed,
      failed: tasks - completed,
      graded_count: graded,
      graded_milli: upTo(1000 * graded),
      latency_count: answers,
      latency_ms: answers * Math.round(Math.exp(meanLog)),
      latency_satisfied: satisfied,
      latency_tolerating: tolerating,
      latency_log_micro: answers * Math.round(1e6 * meanLog),
      incidents_info: incidents[0],
      incidents_warning: incidents[1],
      incidents_error: incidents[2],
      incidents_critical: incidents[3],
      up_seconds: rarely(200_000),
      down_seconds: rarely(20_000),
    })
  }
  return shuffled(rows, random)
}

/** The same items in another order. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
