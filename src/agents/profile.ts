import { type ScoreBasis, scoreOf } from '../trust/basis.ts'
import { toDecimal } from '../trust/score.ts'
import { notPublic, publicLink } from './links.ts'
import type { Membership } from './membership.ts'
import type { AgentCreated, AgentProfile } from './responses.ts'
import type { FoundAgent } from './store.ts'

export function toProfile(found: FoundAgent): AgentProfile {
  const { open_incident_count, response_count, response_ms, basis, ...shown } = found
  return {
    ...shown,
    homepage_url: publicLink(found, 'homepage_url'),
    card_url: publicLink(found, 'card_url'),
    success_rate: successRate(found),
    avg_response_ms: response_count === 0 ? null : Math.round(response_ms / response_count),
    trust_score_overall: overallOf(basis),
  }
}

type ListedAgent = Omit<
  AgentCreated,
  | 'tasks_completed'
  | 'tasks_failed'
  | 'incident_count'
  | 'trust_score_overall'
  | 'not_public'
  | keyof Membership
>

interface Listed<Agent> {
  agent: Agent
  membership: Membership
  stats: Pick<AgentCreated, 'tasks_completed' | 'tasks_failed' | 'incident_count'>
  basis: ScoreBasis
}

/** An agent as its operator sees it, with all other fields of the given agent. */
export function toCreated<Agent extends ListedAgent>({ agent, membership, stats, basis }: Listed<Agent>) {
  const trust_score_overall = overallOf(basis)
  return { ...agent, not_public: notPublic(agent), ...membership, ...stats, trust_score_overall }
}

/** The percentage of completed tasks with two decimals; null without tasks. */
export function successRate(tasks: { tasks_completed: number; tasks_failed: number }): string | null {
  const total = tasks.tasks_completed + tasks.tasks_failed
  return total === 0 ? null : ((100 * tasks.tasks_completed) / total).toFixed(2)
}

/** The overall score as a decimal text; null if there is too little activity for one. */
export function overallOf(basis: ScoreBasis): string | null {
  const score = scoreOf(basis)
  return score && toDecimal(score.overall)
}
