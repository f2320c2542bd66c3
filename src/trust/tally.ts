import type { Source } from '../db/enums.ts'
import { type Claim, type Claims, noClaims } from './claims.ts'
import { fortnightsOf, type Said } from './fortnight.ts'
import type { Rollup } from './rollup.ts'
import { WINDOW_DAYS, type Window } from './window.ts'

/** Tasks that a day counts at most in the reading by day: each day has the same weight, whatever its volume. */
export const FULL_DAY_TASKS = 5
// Tasks that a row counts at most in the reading by task: a burst of failures weighs no more than a full record.
const BURST_TASKS = 50
const DAY_SECONDS = 86_400
// Faults, and completed tasks against them, that a row counts at most: an alarm storm is one bad day.
const SAFETY_TASKS = 100
const FAULT_TASKS = { info: 10, warning: 30, error: 100, critical: 100 } as const
// Points that a critical event costs: half if the operator itself reports it.
const CRITICAL_DEPTH = { self: 25, unproven: 50, peer: 50, independent: 50 } as const satisfies Record<
  Source,
  number
>
// Σ (90 − age) over the window.
const WEIGHT_OF_ALL_DAYS = (WINDOW_DAYS * (WINDOW_DAYS + 1)) / 2

/** The evidence about reliability, accuracy, or speed. */
export interface Tally {
  /** By task: each row counts at most `BURST_TASKS`. */
  tasks: Claims
  /** By day: each row counts at most `FULL_DAY_TASKS`. */
  days: Claims
  /** The newest tasks, of each of three sets of sources. */
  fortnights: readonly Claim[]
}

/** The evidence in the rows of a window, in tasks. Weights fall linearly from 1 today to 0 at the end of the window. */
export interface Tallies {
  reliability: Tally
  accuracy: Tally
  speed: Tally
  safety: Claims
  consistency: Claims
  /** The maximum of safety after critical events, 0 to 100. */
  ceiling: number
  /** Weighted seconds of downtime, out of `WEIGHTED_SECONDS`. */
  down: number
}

/** The length of the window in weighted seconds. */
export const WEIGHTED_SECONDS = DAY_SECONDS * WEIGHT_OF_ALL_DAYS

/**
 * Adds up the evidence of each source for each dimension.
 *
 * Source: trust score algorithm 1.0, evidence and sums; the ceilings and the downtime of the readings
 */
export function tallyUp({ rows, ages, openOutages }: Window): Tallies {
  const [reliability, accuracy, speed] = [newCounts(), newCounts(), newCounts()]
  const [safety, consistency] = [noClaims(), noClaims()]
  const [ownDown, othersDown] = [new Float64Array(WINDOW_DAYS), new Float64Array(WINDOW_DAYS)]
  let ceiling = 100
  for (let index = 0; index < rows.length; index++) {
    const [row, age] = [rows[index] as Rollup, ages[index] as number]
    const { source, completed, failed } = row
    const weight = WINDOW_DAYS - age

    count(reliability, source, age, completed, failed)
    const grades = row.graded_milli / 1000
    count(accuracy, source, age, grades, row.graded_count - grades)
    const prompt = row.latency_satisfied + row.latency_tolerating / 2
    count(speed, source, age, prompt, row.latency_count - prompt)

    add(of(source, safety), weight, Math.min(SAFETY_TASKS, completed), Math.min(SAFETY_TASKS, faultsOf(row)))
    if (row.incidents_critical > 0) {
      ceiling = Math.min(ceiling, 100 - (CRITICAL_DEPTH[source] * weight) / WINDOW_DAYS)
    }
    if (completed + failed > 0) {
      // A product, because engines may compute `**` with different precision.
      const unevenness = (2 * failed) / (completed + failed)
      const even = FULL_DAY_TASKS * Math.max(0, 1 - unevenness * unevenness)
      add(of(source, consistency), weight, even, FULL_DAY_TASKS - even)
    }
    const down = source === 'self' ? ownDown : othersDown
    down[age] = (down[age] as number) + row.down_seconds
  }
  if (openOutages > 0) ownDown[0] = DAY_SECONDS
  return {
    reliability: toTally(reliability),
    accuracy: toTally(accuracy),
    speed: toTally(speed),
    safety: divided(safety),
    consistency: divided(consistency),
    ceiling,
    // What both sides tell counts once; a day counts as a day at most.
    down: ownDown.reduce(
      (sum, own, age) =>
        sum + (WINDOW_DAYS - age) * Math.min(DAY_SECONDS, Math.max(own, othersDown[age] as number)),
      0,
    ),
  }
}

function count(tally: Counts, source: Source, age: number, good: number, bad: number): void {
  const tasks = good + bad
  if (tasks === 0) return
  const weight = WINDOW_DAYS - age
  const burst = tasks > BURST_TASKS ? BURST_TASKS / tasks : 1
  add(of(source, tally.tasks), weight, burst * good, burst * bad)
  const full = tasks > FULL_DAY_TASKS ? FULL_DAY_TASKS / tasks : 1
  add(of(source, tally.days), weight, full * good, full * bad)
  if (source === 'self') return
  tally.said.push({ source, age, good: full * good, bad: full * bad })
}

function add(claim: Claim, weight: number, good: number, bad: number): void {
  claim.good += weight * good
  claim.bad += weight * bad
}

/** The claim of a source; `claims[source]` takes twice as long. */
function of(source: Source, claims: Claims): Claim {
  switch (source) {
    case 'self':
      return claims.self
    case 'unproven':
      return claims.unproven
    case 'peer':
      return claims.peer
    case 'independent':
      return claims.independent
  }
}

function divided(claims: Claims): Claims {
  for (const claim of [claims.self, claims.unproven, claims.peer, claims.independent]) {
    claim.good /= WINDOW_DAYS
    claim.bad /= WINDOW_DAYS
  }
  return claims
}

function faultsOf(row: Rollup): number {
  return (
    FAULT_TASKS.info * row.incidents_info +
    FAULT_TASKS.warning * row.incidents_warning +
    FAULT_TASKS.error * row.incidents_error +
    FAULT_TASKS.critical * row.incidents_critical
  )
}

interface Counts {
  tasks: Claims
  days: Claims
  said: Said[]
}

function newCounts(): Counts {
  return { tasks: noClaims(), days: noClaims(), said: [] }
}

function toTally({ tasks, days, said }: Counts): Tally {
  return { tasks: divided(tasks), days: divided(days), fortnights: fortnightsOf(said) }
}
