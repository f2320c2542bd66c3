import type { Source } from '../db/enums.ts'

// Every claim is judged as if this many tasks of no evidence were added: one bad grade is no verdict.
const NEUTRAL_TASKS = 10

/** What is said of an agent: how much is good and how much is bad, in tasks. */
export interface Claim {
  good: number
  bad: number
}

/** What each source says. */
export type Claims = Record<Source, Claim>

/**
 * Up to how many tasks a lesser source fills the places that better ones leave: seven and three full days. With them
 * 77.2 and 59.0 are the highest scores, just below the thresholds 80 and 60.
 */
export const LIMITS = { peer: 35, self: 15 } as const satisfies Partial<Record<Source, number>>

/** Nothing said by any source. */
export function noClaims(): Claims {
  return { self: { good: 0, bad: 0 }, peer: { good: 0, bad: 0 }, independent: { good: 0, bad: 0 } }
}

/**
 * Puts the claims of the sources together, each lesser one in the places that better ones leave: E of step 3.
 *
 * @param claims T of each source, in tasks
 *
 * Source: trust score algorithm 1.0, filling up
 */
export function combine({ self, peer, independent }: Claims): Claim {
  return fill(fill(independent, peer, LIMITS.peer), self, LIMITS.self)
}

/**
 * The mean of a claim, with as much neutral evidence added as ten tasks: m of step 4.
 *
 * @returns 0 to 100; 50 without evidence
 *
 * Source: trust score algorithm 1.0, mean; Jøsang & Ismail 2002 (beta reputation)
 */
export function mean({ good, bad }: Claim): number {
  return (100 * (good + NEUTRAL_TASKS / 2)) / (good + bad + NEUTRAL_TASKS)
}

/**
 * How clean a claim is: the share of good, with ten good tasks added.
 *
 * @returns 0 to 1; 1 until something bad is said
 *
 * Source: trust score algorithm 1.0, filling up and readings
 */
export function clean({ good, bad }: Claim): number {
  return (good + NEUTRAL_TASKS) / (good + bad + NEUTRAL_TASKS)
}

/** Where better sources speak ill, the praise of a lesser one earns as much less; its blame counts in full. */
function fill(better: Claim, lesser: Claim, limit: number): Claim {
  const places = Math.max(0, limit - better.good - better.bad)
  const said = lesser.good + lesser.bad
  const share = said > places ? places / said : 1
  const trust = Math.max(0, 2 * clean(better) - 1)
  return { good: better.good + trust * share * lesser.good, bad: better.bad + share * lesser.bad }
}
