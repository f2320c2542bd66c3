import { each, SOURCES, type Source } from '../db/enums.ts'
import { LIMITS } from './claims.ts'
import { type Dimension, DUES_TASKS, type Judgment, NEUTRAL } from './dimensions.ts'
import { FORTNIGHT_TASKS } from './fortnight.ts'
import type { RollupCounts } from './rollup.ts'
import type { TrustScore } from './score.ts'
import { FULL_DAY_TASKS, type Tallies, WEIGHTED_SECONDS } from './tally.ts'
import { RECENT_CRITICAL_DAYS, WINDOW_DAYS, type Window } from './window.ts'

const STALE_DAYS = 30
const BURST_FACTOR = 10 // times the tasks of the median day
// Self-reports contradict others if the two shares differ by more than three standard errors: unlikely by chance.
const CONTRADICTION_TASKS = 20
const CONTRADICTION_ERRORS = 3
const DOWNTIME_PERCENT = 1
const RECENT_POINTS = 1

/** The sums over the rows of a source that risk factors need. */
type Totals = Pick<RollupCounts, 'completed' | 'failed' | 'graded_count' | 'latency_count'>

/** The data that risk factors are computed from. */
export interface Scored {
  score: TrustScore
  judged: Record<Dimension, Judgment>
  tallies: Tallies
  openOutages: number
  totals: Record<Source, Totals>
  /** The tasks of each day from all sources; the index is the age of the day. */
  tasksByAge: readonly number[]
  /** Age in days of the newest critical event; null without one. */
  criticalAge: number | null
}

/** Computes what the risk factors need from the rows of a window. */
export function survey({ rows, ages }: Window): Pick<Scored, 'totals' | 'tasksByAge' | 'criticalAge'> {
  const totals = each(SOURCES, newTotals)
  const tasksByAge = new Array<number>(WINDOW_DAYS).fill(0)
  let criticalAge: number | null = null
  for (const [index, row] of rows.entries()) {
    const age = ages[index] as number
    totals[row.source] = sumOf(totals[row.source], row)
    tasksByAge[age] = (tasksByAge[age] as number) + row.completed + row.failed
    if (row.incidents_critical > 0) criticalAge = age
  }
  return { totals, tasksByAge, criticalAge }
}

function newTotals(): Totals {
  return { completed: 0, failed: 0, graded_count: 0, latency_count: 0 }
}

export type RiskDimension = 'overall' | Dimension

interface Risk<Code extends string> {
  code: Code
  dimension: RiskDimension
  /** The condition in words, for the OpenAPI document. */
  when: string
  /** The message for a score, or null if the score does not have this risk. */
  find: (scored: Scored) => string | null
}

/** All risk factors in the order in which they are reported. The meaning of a published code never changes. */
export const RISKS = [
  risk('RECORD_SHORT', 'overall', 'the score is provisional', ({ score, judged }) =>
    score.provisional
      ? `points above ${NEUTRAL} count in full once there are ${DUES_TASKS} good tasks, of which at most ${FULL_DAY_TASKS} count per day; so far there are ${floorToTenth(DUES_TASKS * judged.reliability.confidence)}`
      : null,
  ),
  risk('RECORD_STALE', 'overall', `the newest task is at least ${STALE_DAYS} days old`, ({ tasksByAge }) => {
    const age = tasksByAge.findIndex((count) => count > 0)
    return age >= STALE_DAYS ? `the newest task is ${age} days old` : null
  }),
  risk(
    'RECORD_BURST',
    'overall',
    `one day has more than ${BURST_FACTOR} times the tasks of the median day`,
    ({ tasksByAge }) => {
      const finished = tasksByAge.filter((count, age) => age >= 1 && count > 0).sort((a, b) => a - b)
      const [most, median] = [Math.max(...tasksByAge), finished[Math.floor(finished.length / 2)]]
      if (median === undefined || most <= BURST_FACTOR * median) return null
      return `one day has ${most} tasks, the median day ${median}; at most ${FULL_DAY_TASKS} tasks per source and day count`
    },
  ),
  risk(
    'RECORD_UNATTESTED',
    'overall',
    'no task was reported by a platform of another verified person',
    ({ totals }) =>
      tasksOf(attestedOf(totals)) === 0
        ? `no platform of another verified person reports tasks; self-reports alone count as at most ${LIMITS.self} tasks`
        : null,
  ),
  risk(
    'RECORD_UNPROVEN',
    'overall',
    'platforms report tasks, but the identity of the operator is not known, so none is attested',
    ({ totals }) =>
      tasksOf(attestedOf(totals)) === 0 && tasksOf(totals.unproven) > 0
        ? `the identity of the operator is not known: the reports of platforms count as at most ${LIMITS.unproven} tasks`
        : null,
  ),
  risk(
    'RECORD_PEER_ONLY',
    'overall',
    'tasks have the source `peer`, but none has the source `independent`',
    ({ totals: { peer, independent } }) =>
      tasksOf(peer) > 0 && tasksOf(independent) === 0
        ? `no task has the source independent; peer reports and self-reports count as at most ${LIMITS.peer} tasks`
        : null,
  ),
  risk(
    'RECORD_CONTRADICTED',
    'overall',
    `the share of completed tasks is larger among self-reported tasks (source \`self\`) than among tasks from other sources, by more than ${CONTRADICTION_ERRORS} standard errors, and each of the two groups has at least ${CONTRADICTION_TASKS} tasks`,
    ({ totals }) => {
      const [own, others] = [totals.self, sumOf(attestedOf(totals), totals.unproven)]
      if (!contradicts(own, others)) return null
      return `${percent(own.completed / tasksOf(own))} of the self-reported tasks are completed, but only ${percent(others.completed / tasksOf(others))} of the others`
    },
  ),
  risk('RELIABILITY_OUTAGE', 'reliability', 'an outage is open that began before today', ({ openOutages }) =>
    openOutages > 0 ? 'the agent is down: an outage that began before today has not ended' : null,
  ),
  risk(
    'RELIABILITY_DOWNTIME',
    'reliability',
    `unplanned downtime is at least ${DOWNTIME_PERCENT}%`,
    ({ tallies: { down } }) =>
      100 * down >= DOWNTIME_PERCENT * WEIGHTED_SECONDS
        ? `unplanned downtime is ${percent(down / WEIGHTED_SECONDS)} of the time, with more weight on recent days`
        : null,
  ),
  recent('RELIABILITY_RECENT', 'reliability'),
  low('RELIABILITY_LOW', 'reliability'),
  ...coverage('ACCURACY', 'accuracy', 'grades', 'graded_count'),
  recent('ACCURACY_RECENT', 'accuracy'),
  low('ACCURACY_LOW', 'accuracy'),
  risk(
    'SAFETY_RECENT_CRITICAL',
    'safety',
    `a critical event is less than ${RECENT_CRITICAL_DAYS} days old`,
    ({ criticalAge }) => critical(criticalAge, (age) => age < RECENT_CRITICAL_DAYS),
  ),
  risk(
    'SAFETY_PAST_CRITICAL',
    'safety',
    `the newest critical event is ${RECENT_CRITICAL_DAYS} to 89 days old`,
    ({ criticalAge }) => critical(criticalAge, (age) => age >= RECENT_CRITICAL_DAYS),
  ),
  low('SAFETY_LOW', 'safety'),
  ...coverage('SPEED', 'speed', 'response times', 'latency_count'),
  recent('SPEED_RECENT', 'speed'),
  low('SPEED_LOW', 'speed'),
  low('CONSISTENCY_LOW', 'consistency'),
] as const satisfies readonly Risk<string>[]

export type RiskCode = (typeof RISKS)[number]['code']

function risk<const Code extends string>(
  code: Code,
  dimension: RiskDimension,
  when: string,
  find: Risk<Code>['find'],
): Risk<Code> {
  return { code, dimension, when, find }
}

function low<const Code extends string>(code: Code, dimension: Dimension): Risk<Code> {
  return risk(code, dimension, `${dimension} is below ${NEUTRAL}`, ({ score }) => {
    const points = score[dimension]
    return points < NEUTRAL ? `${points.toFixed(1)} is below ${NEUTRAL}, the value without evidence` : null
  })
}

/** The risk that the newest tasks are worse than either reading of the whole record shows. */
function recent<const Code extends string>(code: Code, dimension: Dimension): Risk<Code> {
  const when = `the value of the newest ${FORTNIGHT_TASKS} tasks, without self-reports, is more than ${RECENT_POINTS} point below that of the whole window`
  return risk(code, dimension, when, ({ judged }) => {
    const [tasks, days, fortnight] = judged[dimension].readings.map(({ points }) => points)
    if (tasks === undefined || days === undefined || fortnight === undefined) return null
    const whole = Math.min(tasks, days)
    // Rounded to nine decimals, because in floating point 96.1 − 95.1 is more than 1.
    const fall = Math.round(1e9 * (whole - fortnight)) / 1e9
    return fall > RECENT_POINTS
      ? `the value is ${fortnight.toFixed(1)} for the newest ${FORTNIGHT_TASKS} tasks, without self-reports, and ${whole.toFixed(1)} for the whole window`
      : null
  })
}

/** The risks that a dimension has no evidence, too little (such as grades of good tasks only), or none from others. */
function coverage<const Name extends string>(
  name: Name,
  dimension: Dimension,
  what: string,
  field: 'graded_count' | 'latency_count',
) {
  const sum = (totals: Scored['totals'], of: keyof Totals) =>
    Object.values(totals).reduce((all, total) => all + total[of], 0)
  return [
    risk(`${name}_NO_EVIDENCE`, dimension, `there are no ${what}`, ({ totals }) =>
      sum(totals, field) === 0 ? `no task was reported with ${what}; the value is neutral` : null,
    ),
    risk(
      `${name}_PARTIAL_EVIDENCE`,
      dimension,
      `less than half of the completed tasks were reported with ${what}`,
      ({ totals }) => {
        const [known, completed] = [sum(totals, field), sum(totals, 'completed')]
        if (known === 0 || 2 * known >= completed) return null
        return `${percent(known / completed)} of the completed tasks were reported with ${what}`
      },
    ),
    risk(
      `${name}_UNATTESTED`,
      dimension,
      `only tasks that are not attested have ${what}, although attested ones are reported, too`,
      ({ totals }) => {
        const attested = attestedOf(totals)
        if (sum(totals, field) === 0 || attested[field] > 0 || tasksOf(attested) === 0) return null
        return `only tasks that are not attested have ${what}; the ${tasksOf(attested)} attested ones have none`
      },
    ),
  ] as const
}

function critical(age: number | null, matches: (age: number) => boolean): string | null {
  return age !== null && matches(age) ? `the newest critical event is ${age} days old and caps safety` : null
}

/** Whether the operator's share of completed tasks is too large: s/t − u/v > 3 √(q(1 − q)(1/t + 1/v)). */
function contradicts(own: Totals, others: Totals): boolean {
  const [s, t] = [own.completed, tasksOf(own)]
  const [u, v] = [others.completed, tasksOf(others)]
  if (t < CONTRADICTION_TASKS || v < CONTRADICTION_TASKS) return false
  // Squared and without fractions, so that equality is exact.
  const difference = s * v - u * t
  const variance = (s + u) * (t + v - s - u) * t * v
  return difference > 0 && difference ** 2 * (t + v) > CONTRADICTION_ERRORS ** 2 * variance
}

function attestedOf({ peer, independent }: Scored['totals']): Totals {
  return sumOf(peer, independent)
}

function sumOf(one: Totals, other: Totals): Totals {
  return {
    completed: one.completed + other.completed,
    failed: one.failed + other.failed,
    graded_count: one.graded_count + other.graded_count,
    latency_count: one.latency_count + other.latency_count,
  }
}

function tasksOf({ completed, failed }: Totals): number {
  return completed + failed
}

/** One decimal, rounded down, so that a value below 50 is not shown as 50. */
function floorToTenth(tasks: number): string {
  return (Math.floor(10 * tasks) / 10).toFixed(1)
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`
}
