import { CRITICAL_HALF_LIFE_DAYS, MIN_DAY_COUNT, UPTIME_FULL_SECONDS } from './dimensions.ts'
import { type Dimension, DUES_DAYS, DUES_TASKS, NEUTRAL, type TrustScore } from './score.ts'
import { medianTasks, type WeighedDay, WORK_HALF_LIFE_DAYS } from './window.ts'

// A day of so many times the tasks of the median day is no ordinary one.
const BURST_FACTOR = 10
// One point of the twenty that uptime can give.
const DOWNTIME_SHARE = 1 / 20

/** What risk factors are looked for in. */
export interface Scored {
  score: TrustScore
  /** Oldest first. */
  window: readonly WeighedDay[]
  /** Events that a platform of another operator, a different identified person, has reported. */
  platformEvents: number
}

export type RiskDimension = 'overall' | Dimension

interface Risk<Code extends string> {
  code: Code
  dimension: RiskDimension
  /** When it is told, for the document. */
  when: string
  /** The message for a score, or null when the risk is not there. */
  find: (scored: Scored) => string | null
}

/** The catalogue of risk factors, in the order in which they are told; published codes keep their meaning. */
export const RISKS = [
  risk('RECORD_SHORT', 'overall', 'the score is provisional', ({ score, window }) => {
    if (!score.provisional) return null
    const counted = sum(window, (day) => day.counted)
    const days = window.filter((day) => day.tasks > 0).length
    const needed = `${DUES_TASKS} tasks (${counted} count) on ${DUES_DAYS} days (${days})`
    return `points above ${NEUTRAL} count in full from ${needed}`
  }),
  risk(
    'RECORD_STALE',
    'overall',
    `the newest task is ${WORK_HALF_LIFE_DAYS} days old or older`,
    ({ window }) => {
      const age = window.findLast((day) => day.tasks > 0)?.age ?? 0
      return age >= WORK_HALF_LIFE_DAYS ? `the newest task is ${age} days old` : null
    },
  ),
  risk(
    'RECORD_BURST',
    'overall',
    `a day has more than ${BURST_FACTOR} times the tasks of the median day`,
    ({ window }) => {
      const median = medianTasks(window)
      const most = Math.max(...window.map((day) => day.tasks))
      if (median === 0 || most <= BURST_FACTOR * median) return null
      return `a day has ${most} tasks, the median day ${median}: what is above the day cap does not count`
    },
  ),
  risk(
    'RECORD_SELF_REPORTED',
    'overall',
    'no event comes from a platform of another operator while checks had told two different persons behind the two',
    ({ platformEvents }) =>
      platformEvents === 0
        ? 'no event was reported by a platform of which it is known that another person stands behind it'
        : null,
  ),
  low('RELIABILITY_LOW', 'reliability'),
  risk(
    'RELIABILITY_DOWNTIME',
    'reliability',
    'unplanned downtime takes a point or more: 5 % of the known time, which counts as a week at least',
    ({ window }) => {
      const down = sum(window, (day) => day.timeWeight * day.row.down_seconds)
      const known = down + sum(window, (day) => day.timeWeight * day.row.up_seconds)
      if (down < DOWNTIME_SHARE * Math.max(known, UPTIME_FULL_SECONDS)) return null
      return `down without a plan for ${percent(down / known)} of the known time`
    },
  ),
  ...evidence('ACCURACY', 'accuracy', 'grades', (day) => day.row.graded_count),
  low('ACCURACY_LOW', 'accuracy'),
  risk(
    'SAFETY_RECENT_CRITICAL',
    'safety',
    `a critical event is less than ${CRITICAL_HALF_LIFE_DAYS} days old`,
    (scored) => critical(scored, (age) => age < CRITICAL_HALF_LIFE_DAYS),
  ),
  risk(
    'SAFETY_PAST_CRITICAL',
    'safety',
    `the youngest critical event is ${CRITICAL_HALF_LIFE_DAYS} to 89 days old`,
    (scored) => critical(scored, (age) => age >= CRITICAL_HALF_LIFE_DAYS),
  ),
  low('SAFETY_LOW', 'safety'),
  ...evidence('SPEED', 'speed', 'response times', (day) => day.row.latency_count),
  low('SPEED_LOW', 'speed'),
  risk(
    'CONSISTENCY_NO_EVIDENCE',
    'consistency',
    `fewer than two days have ${MIN_DAY_COUNT} tasks to compare`,
    ({ window }) => {
      const days = window.filter((day) => day.tasks >= MIN_DAY_COUNT).length
      return days < 2 ? `${days} of the two days with ${MIN_DAY_COUNT} tasks that a comparison needs` : null
    },
  ),
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
    return points < NEUTRAL ? `${points.toFixed(1)} is less than the ${NEUTRAL} of no evidence` : null
  })
}

/** That nothing, or less than half of the tasks that count, speaks for a dimension: grading the good ones only is seen. */
function evidence<const Name extends string>(
  name: Name,
  dimension: Dimension,
  what: string,
  countOf: (day: WeighedDay) => number,
) {
  return [
    risk(`${name}_NO_EVIDENCE`, dimension, `there are no ${what}`, ({ window }) =>
      sum(window, countOf) === 0 ? `no task came with ${what}: neutral` : null,
    ),
    risk(
      `${name}_PARTIAL_EVIDENCE`,
      dimension,
      `less than half of the tasks that count came with ${what}`,
      ({ window }) => {
        const share = sum(window, (day) => day.share * countOf(day)) / sum(window, (day) => day.counted)
        return share > 0 && share < 0.5 ? `${percent(share)} of the tasks came with ${what}` : null
      },
    ),
  ] as const
}

function critical({ window }: Scored, isMeant: (age: number) => boolean): string | null {
  const age = window.findLast((day) => day.row.incidents_critical > 0)?.age
  if (age === undefined || !isMeant(age)) return null
  return `the youngest critical event is ${age} days old and limits safety`
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`
}

function sum(window: readonly WeighedDay[], value: (day: WeighedDay) => number): number {
  return window.reduce((total, day) => total + value(day), 0)
}
