import { DIMENSIONS, type Dimension, judge, nanosOf } from './dimensions.ts'
import type { Rollup } from './rollup.ts'
import { tallyUp } from './tally.ts'
import { WINDOW_DAYS, type Window, windowOf } from './window.ts'

// Every number here and in the imported files is part of algorithm 1.0: a change requires a new version.
export const ALGORITHM_VERSION = '1.0'
/** Minimum number of tasks in the window for a score. */
export const MIN_TASKS = 10
const SHARE_STEPS = 10_000 // four decimals
const NANO = 1_000_000_000
/** Share of each dimension in `overall`, in percent. */
export const WEIGHTS_PERCENT = {
  reliability: 30,
  accuracy: 25,
  safety: 25,
  speed: 10,
  consistency: 10,
} as const satisfies Record<Dimension, number>

/** `overall` and the dimensions, in the order in which they are shown. */
export const SCORES = ['overall', ...DIMENSIONS] as const

/** `overall` and the dimensions with one decimal, 0.0 to 100.0. */
export interface TrustScore extends Record<Dimension, number> {
  overall: number
  events_considered: number
  computation_window_days: number
  algorithm_version: string
  /** Whether the agent has too few good tasks for points above neutral to count in full. */
  provisional: boolean
  /** 0 to 1 with nine decimals; 1 exactly when the score is not provisional. */
  confidence: number
}

/**
 * Computes the trust score of one agent.
 *
 * @param rows the agent's rollup rows, at most one per day and source, in any order; rows outside the window are
 * ignored
 * @param today the UTC day `YYYY-MM-DD` that has age 0
 * @param openOutages how many sides (0 to 2) have an outage on that day that began before it
 * @returns the score, or null if the window has fewer than `MIN_TASKS` tasks
 *
 * Source: trust score algorithm 1.0, computation
 */
export function scoreAgent(rows: readonly Rollup[], today: string, openOutages = 0): TrustScore | null {
  return scoreWindow(windowOf(rows, today, openOutages))
}

/** The score of a window, as `scoreAgent` returns it. */
export function scoreWindow(window: Window): TrustScore | null {
  if (window.tasks < MIN_TASKS) return null
  const judged = judge(tallyUp(window))
  const { confidence } = judged.reliability
  const score = { overall: 0 } as Record<(typeof SCORES)[number], number>
  let weighted = 0
  for (const name of DIMENSIONS) {
    const tenths = toTenths(judged[name].points)
    weighted += WEIGHTS_PERCENT[name] * tenths
    score[name] = tenths / 10
  }
  score.overall = Math.floor((weighted + 50) / 100) / 10
  return {
    ...score,
    events_considered: window.events,
    computation_window_days: WINDOW_DAYS,
    algorithm_version: ALGORITHM_VERSION,
    provisional: confidence < 1,
    confidence,
  }
}

/**
 * Rounds a value from 0 to 100 to one decimal, half up.
 *
 * The decimal value counts, but 53.15 is stored as 53.1499999…. So the value is first rounded to nine decimals, which
 * is coarser than the error of the sums; after that, only integers are divided.
 *
 * @returns integer tenths, 0 to 1000
 *
 * Source: trust score algorithm 1.0, rounding
 */
export function toTenths(value: number): number {
  return Math.floor((nanosOf(value) + 5e7) / 1e8)
}

/** A score as text with exactly one decimal. */
export function toDecimal(score: number): string {
  return score.toFixed(1)
}

/**
 * A confidence as it is published: rounded down to four decimals, so that only full confidence is 1.
 *
 * @param confidence 0 to 1 with nine decimals
 */
export function toShare(confidence: number): number {
  // In integers, because in floating point 10,000 · 0.57 is less than 5,700.
  return Math.floor((Math.round(NANO * confidence) * SHARE_STEPS) / NANO) / SHARE_STEPS
}
