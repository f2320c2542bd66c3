import { toDecimal } from '../lib/wire.ts'
import { scoreAgent } from '../trust/score.ts'
import type { AgentProfile } from './schema.ts'
import type { FoundAgent } from './store.ts'

/** The public profile of a found agent; its score is computed from the rollups, never read from a store. */
export function toProfile({ agent, stats, days, today, ...names }: FoundAgent): AgentProfile {
  const { response_count, response_ms, ...counters } = stats
  const tasks = counters.tasks_completed + counters.tasks_failed
  const score = scoreAgent(days, today)
  return {
    ...agent,
    ...counters,
    ...names,
    success_rate: tasks === 0 ? null : ((100 * counters.tasks_completed) / tasks).toFixed(2),
    avg_response_ms: response_count === 0 ? null : Math.round(response_ms / response_count),
    trust_score_overall: score && toDecimal(score.overall),
  }
}
