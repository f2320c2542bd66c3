import { toDecimal } from '../lib/wire.ts'
import type { DailyRollup } from '../trust/rollup.ts'
import { scoreAgent } from '../trust/score.ts'
import type { AgentCreated, AgentProfile } from './schema.ts'
import type { FoundAgent } from './store.ts'

/** The public profile of a found agent; its score is computed from the rollups, never read from a store. */
export function toProfile({
  agent,
  stats,
  days,
  today,
  operator_status,
  ...names
}: FoundAgent): AgentProfile {
  const { response_count, response_ms, open_incident_count, ...counters } = stats
  return {
    ...agent,
    ...counters,
    ...names,
    success_rate: successRate(counters),
    avg_response_ms: response_count === 0 ? null : Math.round(response_ms / response_count),
    trust_score_overall: overallOf(days, today),
  }
}

interface Listed {
  agent: Omit<AgentCreated, 'tasks_completed' | 'tasks_failed' | 'incident_count' | 'trust_score_overall'>
  stats: Pick<AgentCreated, 'tasks_completed' | 'tasks_failed' | 'incident_count'>
  days: readonly DailyRollup[]
  today: string
}

/** The creation form of an agent, as its operator's lists and changes answer it. */
export function toCreated({ agent, stats, days, today }: Listed): AgentCreated {
  return { ...agent, ...stats, trust_score_overall: overallOf(days, today) }
}

/** The share of completed tasks in percent with two decimals; null without tasks. */
export function successRate(tasks: { tasks_completed: number; tasks_failed: number }): string | null {
  const total = tasks.tasks_completed + tasks.tasks_failed
  return total === 0 ? null : ((100 * tasks.tasks_completed) / total).toFixed(2)
}

/** The overall score as a decimal text; null when there is too little activity for one. */
export function overallOf(days: readonly DailyRollup[], today: string): string | null {
  const score = scoreAgent(days, today)
  return score && toDecimal(score.overall)
}
