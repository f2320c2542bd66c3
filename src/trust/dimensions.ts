import type { WeighedDay } from './window.ts'

// Wilson's z for 95 % on one side.
const WILSON_Z = 1.645
const UPTIME_SHARE = 0.2
// A week of known uptime is needed for the full share.
export const UPTIME_FULL_SECONDS = 7 * 86_400
// Accuracy and speed start from this many neutral answers.
const PRIOR_COUNT = 10
const PRIOR_GRADE = 0.5
const POINTS = { info: 0.3, warning: 1, error: 3, critical: 10 } as const
// λ, points in 100 tasks, starts from half a point in 50 tasks; safety halves for every 3.
const PRIOR_POINTS = 0.5
const PRIOR_TASKS = 50
const POINTS_PER_HALVING = 3
const CRITICAL_CEILING = 50
export const CRITICAL_HALF_LIFE_DAYS = 30
// Swing is judged over days with this many tasks or latencies.
export const MIN_DAY_COUNT = 5
const PRIOR_DAYS = 7
const NEUTRAL = 50

type Days = readonly WeighedDay[]

/**
 * Reliability: the share of tasks that the agent finishes at least, with 95 % certainty, and its uptime.
 *
 * @param days the window with at least one task, oldest first
 * @returns 0 to 100, before confidence and rounding
 *
 * Source: trust score algorithm 1.0; Wilson 1927, lower bound of the score interval
 */
export function reliability(days: Days): number {
  const completed = total(days, (day) => day.taskWeight * day.row.completed)
  const tasks = completed + total(days, (day) => day.taskWeight * day.row.failed)
  const work = 100 * wilsonLowerBound(completed / tasks, tasks)
  const up = total(days, (day) => day.timeWeight * day.row.up_seconds)
  const known = up + total(days, (day) => day.timeWeight * day.row.down_seconds)
  if (known === 0) return work
  const share = UPTIME_SHARE * Math.min(1, known / UPTIME_FULL_SECONDS)
  return (1 - share) * work + share * 100 * (up / known)
}

/**
 * Accuracy: the mean grade with ten neutral grades added.
 *
 * @param days the window, oldest first
 * @returns 0 to 100, 50 without grades, before confidence and rounding
 *
 * Source: trust score algorithm 1.0
 */
export function accuracy(days: Days): number {
  const grades = total(days, (day) => (day.taskWeight * day.row.graded_milli) / 1000)
  return bayesianPercent(
    grades,
    total(days, (day) => day.taskWeight * day.row.graded_count),
  )
}

/**
 * Safety: halves for every 3 points of faults in 100 tasks, under a ceiling after a critical one.
 *
 * @param days the window, oldest first
 * @returns 0 to 100, before confidence and rounding
 *
 * Source: trust score algorithm 1.0
 */
export function safety(days: Days): number {
  const points = total(days, (day) => day.incidentWeight * pointsOf(day))
  const tasks = total(days, (day) => day.incidentWeight * day.counted)
  const rate = (100 * (points + PRIOR_POINTS)) / (tasks + PRIOR_TASKS)
  const value = 100 * 2 ** (-rate / POINTS_PER_HALVING)
  const youngest = days.findLast((day) => day.row.incidents_critical > 0)
  if (!youngest) return value
  return Math.min(value, 100 - CRITICAL_CEILING * 2 ** (-youngest.age / CRITICAL_HALF_LIFE_DAYS))
}

/**
 * Speed: Apdex with T = 2 s, with ten neutral answers added.
 *
 * @param days the window, oldest first
 * @returns 0 to 100, 50 without latencies, before confidence and rounding
 *
 * Source: trust score algorithm 1.0; Apdex Technical Specification 1.1
 */
export function speed(days: Days): number {
  const content = total(
    days,
    (day) => day.taskWeight * (day.row.latency_satisfied + day.row.latency_tolerating / 2),
  )
  return bayesianPercent(
    content,
    total(days, (day) => day.taskWeight * day.row.latency_count),
  )
}

/**
 * Consistency: how little the share of finished tasks and the latency swing between days, beyond chance.
 *
 * @param days the window, oldest first
 * @returns 0 to 100, 50 without two days to compare, before confidence and rounding
 *
 * Source: trust score algorithm 1.0
 */
export function consistency(days: Days): number {
  const working = days.filter((day) => day.tasks >= MIN_DAY_COUNT)
  const answering = days.filter((day) => day.row.latency_count >= MIN_DAY_COUNT)
  const parts: number[] = []
  if (working.length >= 2) {
    const { mean, variance, weight } = spread(
      working.map((day) => ({ weight: day.counted, value: day.row.completed / day.tasks })),
    )
    const chance = (mean * (1 - mean) * (working.length - 1)) / weight
    parts.push(100 * Math.max(0, 1 - 2 * Math.sqrt(Math.max(0, variance - chance))))
  }
  if (answering.length >= 2) {
    const { variance } = spread(
      answering.map((day) => ({
        weight: day.share * day.row.latency_count,
        value: day.row.latency_log_micro / 1e6 / day.row.latency_count,
      })),
    )
    parts.push(100 * Math.exp(-Math.sqrt(variance)))
  }
  const seen = parts.length > 0 ? total(parts, (part) => part) / parts.length : NEUTRAL
  return (working.length * seen + PRIOR_DAYS * NEUTRAL) / (working.length + PRIOR_DAYS)
}

function wilsonLowerBound(p: number, n: number): number {
  const z2 = WILSON_Z ** 2
  const margin = WILSON_Z * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n ** 2))
  return (p + z2 / (2 * n) - margin) / (1 + z2 / n)
}

function bayesianPercent(sum: number, count: number): number {
  return (100 * (sum + PRIOR_COUNT * PRIOR_GRADE)) / (count + PRIOR_COUNT)
}

function pointsOf(day: WeighedDay): number {
  return (
    POINTS.info * day.row.incidents_info +
    POINTS.warning * day.row.incidents_warning +
    POINTS.error * day.row.incidents_error +
    POINTS.critical * day.row.incidents_critical
  )
}

function spread(samples: readonly { weight: number; value: number }[]) {
  const weight = total(samples, (sample) => sample.weight)
  const mean = total(samples, (sample) => sample.weight * sample.value) / weight
  const variance = total(samples, (sample) => sample.weight * (sample.value - mean) ** 2) / weight
  return { mean, variance, weight }
}

function total<T>(items: readonly T[], value: (item: T) => number): number {
  let sum = 0
  for (const item of items) sum += value(item)
  return sum
}
