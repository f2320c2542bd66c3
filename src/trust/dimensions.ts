import { type Claim, type Claims, clean, combine, mean } from './claims.ts'
import { type Tallies, type Tally, WEIGHTED_SECONDS } from './tally.ts'

/** The points of a dimension without evidence. */
export const NEUTRAL = 50
/** Number of good tasks from which points above neutral count in full: ten full days. */
export const DUES_TASKS = 50

/** The ways to read the evidence. */
export const READINGS = ['tasks', 'days', 'fortnight', 'ceiling'] as const
export type ReadingName = (typeof READINGS)[number]

/** The result of one reading. */
interface Reading {
  reading: ReadingName
  /** 0 to 100 with nine decimals. */
  points: number
  /** The evidence that it is computed from, in tasks. */
  claim: Claim
}

/** A dimension before rounding. */
export interface Judgment {
  /** The lowest reading counts. */
  lowest: Reading
  readings: readonly Reading[]
  /** γ, 0 to 1 with nine decimals. */
  confidence: number
  /** d, 0 to 100. */
  points: number
}

/** The dimensions in the order in which they are shown. */
export const DIMENSIONS = ['reliability', 'accuracy', 'safety', 'speed', 'consistency'] as const
export type Dimension = (typeof DIMENSIONS)[number]

/**
 * Computes the five dimensions.
 *
 * @param tallies the evidence from each source
 *
 * Source: trust score algorithm 1.0, filling up, readings and confidence; Friedman & Resnick 2001 (newcomers pay dues)
 */
export function judge(tallies: Tallies): Record<Dimension, Judgment> {
  const dues = (claims: Claims) => confidenceIn(combine(claims))
  const of = (tally: Tally, up = 1) => settle(readingsOf(tally), dues(tally.days), up)
  const reliability = of(tallies.reliability, 1 - tallies.down / WEIGHTED_SECONDS)
  const faults = combine(tallies.safety)
  const evenness = combine(tallies.consistency)
  return {
    reliability,
    accuracy: of(tallies.accuracy),
    safety: settle(
      [read('tasks', faults), { reading: 'ceiling', points: toNano(tallies.ceiling), claim: faults }],
      reliability.confidence,
    ),
    speed: of(tallies.speed),
    consistency: settle([read('days', evenness)], confidenceIn(evenness)),
  }
}

/** By task, by day, and by the newest tasks, which are clean unless others report bad evidence: step 5. */
function readingsOf({ tasks, days, fortnights }: Tally): Reading[] {
  return [
    read('tasks', combine(tasks)),
    read('days', combine(days)),
    lowestOf(
      fortnights.map((claim) => ({ reading: 'fortnight', points: toNano(100 * clean(claim)), claim })),
    ),
  ]
}

/** The first of the lowest. */
function lowestOf(readings: readonly Reading[]): Reading {
  return readings.reduce((least, other) => (other.points < least.points ? other : least))
}

function read(reading: ReadingName, claim: Claim): Reading {
  return { reading, points: toNano(mean(claim)), claim }
}

/** The lowest reading times the share of uptime; points above neutral are multiplied by the confidence: step 6. */
function settle(readings: readonly Reading[], confidence: number, up = 1): Judgment {
  const lowest = lowestOf(readings)
  const raw = lowest.points * up
  const points = raw > NEUTRAL ? NEUTRAL + confidence * (raw - NEUTRAL) : raw
  return { lowest, readings, confidence, points }
}

function confidenceIn({ good }: Claim): number {
  return Math.min(1, toNano(good / DUES_TASKS))
}

function toNano(value: number): number {
  return nanosOf(value) / 1e9
}

/**
 * Rounds to an integer number of 10⁻⁹, half up. Sums in floating point may be up to 10⁻¹¹ too small, so a value that is
 * less than 2 · 10⁻¹¹ below a half counts as a half.
 *
 * Source: trust score algorithm 1.0, rounding
 */
export function nanosOf(value: number): number {
  return Math.round(1e9 * value + 0.02)
}
