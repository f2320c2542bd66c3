import type { Source } from '../db/enums.ts'
import type { Claim } from './claims.ts'
import { WINDOW_DAYS } from './window.ts'

/** The newest tasks that count: fourteen full days. */
export const FORTNIGHT_TASKS = 70

/** The sources besides the operator, strongest first. */
const OTHERS = ['independent', 'peer', 'unproven'] as const satisfies readonly Source[]

/** What a source besides the operator said of one day, in tasks. */
export interface Said extends Claim {
  source: Source
  /** Of the day. */
  age: number
}

/**
 * The newest 70 tasks that others saw, wherever they lie in the window: of the strongest source, of the two strongest, and
 * of all three. So only what a source at least as strong saw pushes a bad day out.
 *
 * @param said oldest first
 *
 * Source: trust score algorithm 1.0, readings
 */
export function fortnightsOf(said: readonly Said[]): Claim[] {
  return OTHERS.map((_, n) => newestTasks(said, OTHERS.slice(0, n + 1)))
}

/** A task with x newer ones weighs 1 − x/70; the tasks of a day share its places evenly. */
function newestTasks(said: readonly Said[], sources: readonly Source[]): Claim {
  const claim = { good: 0, bad: 0 }
  for (let [at, newer] = [said.length - 1, 0]; at >= 0 && newer < FORTNIGHT_TASKS; ) {
    const { age } = said[at] as Said
    let [good, bad] = [0, 0]
    for (; said[at]?.age === age; at--) {
      const one = said[at] as Said
      if (!sources.includes(one.source)) continue
      good += one.good
      bad += one.bad
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
