import { utcDay } from '../../src/lib/time.ts'
import { type Lifecycle, lifecycleStep } from '../../src/trust/lifecycle.ts'
import type { DailyRollup } from '../../src/trust/rollup.ts'
import { eventDelta, type LoggedEvent, sumDeltas } from '../../src/trust/rollup.ts'
import { scoreAgent, type TrustScore } from '../../src/trust/score.ts'

/** An event as the log has it. */
export interface Logged extends LoggedEvent {
  created_at: string
}

/**
 * Computes an agent's score from its whole log, without the service: what each event adds, summed by UTC day, scored.
 *
 * @param log every event of the agent, in the order of the log
 * @param today the UTC day `YYYY-MM-DD` of the question
 * @returns null when there is too little activity
 */
export function recompute(log: readonly Logged[], today: string): TrustScore | null {
  return scoreAgent(toRows(log), today)
}

function toRows(log: readonly Logged[]): DailyRollup[] {
  const rows = new Map<string, DailyRollup>()
  let state: Lifecycle | null = null
  for (const event of log) {
    const day = utcDay(new Date(event.created_at))
    const step = lifecycleStep(state, [event], Date.parse(event.created_at))
    state = step.next
    const row = rows.get(day) ?? { day, ...sumDeltas([]) }
    rows.set(day, {
      ...row,
      ...sumDeltas([row, eventDelta(event)]),
      up_seconds: row.up_seconds + step.up_seconds,
      down_seconds: row.down_seconds + step.down_seconds,
    })
  }
  return [...rows.values()]
}
