import type { Source } from '../db/enums.ts'

// This many neutral tasks are added to every claim, so that one bad grade does not decide a score.
const NEUTRAL_TASKS = 10

/** Good and bad evidence about an agent, in tasks. */
export interface Claim {
  good: number
  bad: number
}

/** The evidence from each source. */
export type Claims = Record<Source, Claim>

/**
 * Up to how many tasks a lesser source fills the places that better ones leave: seven and three full days. The highest
 * scores from these sources alone are then 77.2 and 59.0, just below the thresholds 80 and 60. Unproven reports and
 * self-reports share their places.
 */
export const LIMITS = { peer: 35, unproven: 15, self: 15 } as const satisfies Partial<Record<Source, number>>

/** No evidence from any source. */
export function noClaims(): Claims {
  const none = () => ({ good: 0, bad: 0 })
  return { self: none(), unproven: none(), peer: none(), independent: none() }
}

/**
 * Combines the claims of the sources; each lesser source fills the places that better ones leave: E of step 3.
 *
 * @param claims T of each source, in tasks
 *
 * Source: trust score algorithm 1.0, filling up
 */
export function combine({ self, unproven, peer, independent }: Claims): Claim {
  return fill(fill(fill(independent, peer, LIMITS.peer), unproven, LIMITS.unproven), self, LIMITS.self)
}

/**
 * The mean of a claim with ten neutral tasks added: m of step 4.
 *
 * @returns 0 to 100; 50 without evidence
 *
 * Source: trust score algorithm 1.0, mean; Jøsang & Ismail 2002 (beta reputation)
 */
export function mean({ good, bad }: Claim): number {
  return (100 * (good + NEUTRAL_TASKS / 2)) / (good + bad + NEUTRAL_TASKS)
}

/**
 * How clean a claim is: the share of good evidence, with ten good tasks added.
 *
 * @returns 0 to 1; 1 without bad evidence
 *
 * Source: trust score algorithm 1.0, filling up and readings
 */
export function clean({ good, bad }: Claim): number {
  return (good + NEUTRAL_TASKS) / (good + bad + NEUTRAL_TASKS)
}

/** Bad evidence from better sources reduces how much good evidence of a lesser one counts, but not its bad evidence. */
function fill(better: Claim, lesser: Claim, limit: number): Claim {
  const places = Math.max(0, limit - better.good - better.bad)
  const said = lesser.good + lesser.bad
  const share = said > places ? places / said : 1
  const trust = Math.max(0, 2 * clean(better) - 1)
  return { good: better.good + trust * share * lesser.good, bad: better.bad + share * lesser.bad }
}
