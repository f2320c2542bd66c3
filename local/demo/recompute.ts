import { addEvent, emptyAccount } from '../../scripts/recompute/account.ts'
import type { Source } from '../../src/db/enums.ts'
import type { LoggedEvent } from '../../src/trust/rollup.ts'
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
  const account = emptyAccount()
  for (const [n, event] of log.entries())
    addEvent(account, { ...event, seq: n + 1, at_ms: Date.parse(event.created_at), added: null })
  return scoreAgent([...account.rows.values()], today)
}
