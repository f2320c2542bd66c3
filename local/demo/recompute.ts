import type { Source } from '../../src/db/enums.ts'
import { utcDay } from '../../src/lib/time.ts'
import { type Lifecycle, lifecycleStep, type Side, sideOf } from '../../src/trust/lifecycle.ts'
import { eventDelta, type LoggedEvent, type Rollup, sumDeltas } from '../../src/trust/rollup.ts'
import { scoreAgent, type TrustScore } from '../../src/trust/score.ts'

/** An event with the time and source that the service recorded. */
export interface Logged extends LoggedEvent {
  created_at: string
  source: Source
}

/**
 * Computes an agent's score from its whole log without the service, by summing the events by UTC day and source.
 *
 * @param log every event of the agent, in log order
 * @param today the UTC day `YYYY-MM-DD` of the score
 * @returns null when there is too little activity
 */
export function recompute(log: readonly Logged[], today: string): TrustScore | null {
  return scoreAgent(toRows(log), today)
}

function toRows(log: readonly Logged[]): Rollup[] {
  const rows = new Map<string, Rollup>()
  const states: Record<Side, Lifecycle | null> = { own: null, others: null }
  for (const event of log) {
    const day = utcDay(new Date(event.created_at))
    const { source } = event
    const side = sideOf(source)
    const step = lifecycleStep(states[side], [event], Date.parse(event.created_at))
    states[side] = step.next
    const row = rows.get(`${day} ${source}`) ?? { day, source, ...sumDeltas([]) }
    const counts = sumDeltas([row, eventDelta(event)])
    rows.set(`${day} ${source}`, {
      day,
      source,
      ...counts,
      down_seconds: row.down_seconds + step.down_seconds,
    })
  }
  return [...rows.values()]
}
