import { accuracy, consistency, reliability, safety, speed } from './dimensions.ts'
import type { DailyRollup } from './rollup.ts'
import { type WeighedDay, WINDOW_DAYS, weighDays } from './window.ts'

// Every number here and in the two files imported is part of algorithm 1.0: changing one makes a new version.
export const ALGORITHM_VERSION = '1.0'
/** Tasks in the window below which there is no score. */
export const MIN_TASKS = 10
/** Share of each dimension in `overall`, in percent. */
export const WEIGHTS_PERCENT = {
  reliability: 30,
  accuracy: 25,
  safety: 25,
  speed: 10,
  consistency: 10,
} as const
/** What a dimension without evidence is worth. */
export const NEUTRAL = 50
// A newcomer's dues: tasks and days of work until a dimension above neutral counts in full.
export const DUES_TASKS = 100
export const DUES_DAYS = 14

export type Dimension = keyof typeof WEIGHTS_PERCENT
type Dimensions = Record<Dimension, number>

/** The composite and the dimensions, in the order in which they are shown. */
export const SCORES = [
  'overall',
  'reliability',
  'accuracy',
  'safety',
  'speed',
  'consistency',
] as const satisfies ('overall' | Dimension)[]

/** Composite and dimensions with one decimal, 0.0 to 100.0. */
export interface TrustScore extends Dimensions {
  overall: number
  events_considered: number
  computation_window_days: number
  algorithm_version: string
  /** The record is still too short for the dimensions to count in full. */
  provisional: boolean
  /** 0 to 1, not rounded; 1 exactly when the score is not provisional. */
  confidence: number
}

/**
 * Computes the trust score of one agent.
 *
 * @param days the agent's rollup rows, at most one a day, in any order; rows outside of the window are ignored
 * @param today the UTC day `YYYY-MM-DD` that has age 0
 * @returns the score, or null when the window holds fewer than `MIN_TASKS` tasks
 *
 * Source: trust score algorithm 1.0, computation; Friedman & Resnick 2001 (newcomers pay dues)
 */
export function scoreAgent(days: readonly DailyRollup[], today: string): TrustScore | null {
  const window = weighDays(days, today)
  if (missingIn(window) > 0) return null
  const confidence = confidenceOf(window)
  const settle = (value: number) =>
    toTenths(value > NEUTRAL ? NEUTRAL + confidence * (value - NEUTRAL) : value)
  const tenths: Dimensions = {
    reliability: settle(reliability(window)),
    accuracy: settle(accuracy(window)),
    safety: settle(safety(window)),
    speed: settle(speed(window)),
    consistency: settle(consistency(window)),
  }
  return {
    overall: overallTenths(tenths) / 10,
    reliability: tenths.reliability / 10,
    accuracy: tenths.accuracy / 10,
    safety: tenths.safety / 10,
    speed: tenths.speed / 10,
    consistency: tenths.consistency / 10,
    events_considered: window.reduce((sum, day) => sum + day.row.events, 0),
    computation_window_days: WINDOW_DAYS,
    algorithm_version: ALGORITHM_VERSION,
    provisional: confidence < 1,
    confidence,
  }
}

/**
 * Counts the tasks that an agent still needs before it has a score.
 *
 * @param days the agent's rollup rows, in any order
 * @param today the UTC day `YYYY-MM-DD` that has age 0
 * @returns 0 exactly when `scoreAgent` answers a score, else 1 to `MIN_TASKS`
 *
 * Source: trust score algorithm 1.0, `insufficient_data`
 */
export function tasksMissing(days: readonly DailyRollup[], today: string): number {
  return missingIn(weighDays(days, today))
}

/**
 * Rounds a value of 0 to 100 to one decimal, half up.
 *
 * The decimal value is meant, and 53.15 is stored as 53.1499999…: so the value is taken to nine decimals
 * first, far above the error of the sums and far below the tenth. After that only integers are divided.
 *
 * @returns integer tenths, 0 to 1000
 *
 * Source: trust score algorithm 1.0, rounding
 */
export function toTenths(value: number): number {
  return Math.floor((Math.round(value * 1e9) + 5e7) / 1e8)
}

/** A decimal score with exactly one place, the form that profiles and search give. */
export function toDecimal(score: number): string {
  return score.toFixed(1)
}

function missingIn(window: readonly WeighedDay[]): number {
  return Math.max(0, MIN_TASKS - window.reduce((sum, day) => sum + day.tasks, 0))
}

function overallTenths(tenths: Dimensions): number {
  const weighted =
    WEIGHTS_PERCENT.reliability * tenths.reliability +
    WEIGHTS_PERCENT.accuracy * tenths.accuracy +
    WEIGHTS_PERCENT.safety * tenths.safety +
    WEIGHTS_PERCENT.speed * tenths.speed +
    WEIGHTS_PERCENT.consistency * tenths.consistency
  return Math.floor((weighted + 50) / 100)
}

function confidenceOf(window: readonly WeighedDay[]): number {
  const counted = window.reduce((sum, day) => sum + day.counted, 0)
  const busyDays = window.filter((day) => day.tasks > 0).length
  return Math.min(1, counted / DUES_TASKS, busyDays / DUES_DAYS)
}
