import type { Source } from '../db/enums.ts'
import type { Claim } from './claims.ts'
import { WINDOW_DAYS } from './window.ts'

/** The newest tasks that count: fourteen full days. */
export const FORTNIGHT_TASKS = 70

/** The sources besides the operator, strongest first. */
const OTHERS = ['independent', 'peer', 'unproven'] as const satisfies readonly Source[]
export type Other = (typeof OTHERS)[number]

/** What others said on each day, in tasks; the index is the age of the day. */
export type Daily = Record<Other, Record<keyof Claim, Float64Array>>

export function newDaily(): Daily {
  const days = () => ({ good: new Float64Array(WINDOW_DAYS), bad: new Float64Array(WINDOW_DAYS) })
  return { independent: days(), peer: days(), unproven: days() }
}

/**
 * The newest 70 tasks that others saw, wherever they lie in the window: of the strongest source, of the two strongest, and
 * of all three. So only what a source at least as strong saw pushes a bad day out.
 *
 * Source: trust score algorithm 1.0, readings
 */
export function fortnightsOf(daily: Daily): Claim[] {
  return OTHERS.map((_, n) => newestTasks(OTHERS.slice(0, n + 1).map((source) => daily[source])))
}

/** A task with x newer ones weighs 1 − x/70; the tasks of a day share its places evenly. */
function newestTasks(said: readonly Record<keyof Claim, Float64Array>[]): Claim {
  const claim = { good: 0, bad: 0 }
  for (let [age, newer] = [0, 0]; age < WINDOW_DAYS && newer < FORTNIGHT_TASKS; age++) {
    let [good, bad] = [0, 0]
    for (const source of said) {
      good += source.good[age] as number
      bad += source.bad[age] as number
    }
    const tasks = good + bad
    if (tasks === 0) continue
    const until = Math.min(FORTNIGHT_TASKS, newer + tasks)
    const places = ((until - newer) * (2 * FORTNIGHT_TASKS - newer - until)) / (2 * FORTNIGHT_TASKS)
    const weight = ((WINDOW_DAYS - age) / WINDOW_DAYS) * (places / tasks)
    claim.good += weight * good
    claim.bad += weight * bad
    newer += tasks
  }
  return claim
}
