import { type Membership, type Placement, toMembership } from '../members/membership.ts'
import { type ScoreBasis, scoreOf } from '../trust/basis.ts'
import { NO_SCORE, type ShownScore, shownScore } from '../trust/shown.ts'
import { nameWithheld } from '../wire/withheld.ts'
import { hiddenLinks, publicLink } from './links.ts'
import type { AgentCreated, AgentProfile } from './responses.ts'
import type { AgentInput } from './schema.ts'
import type { FoundAgent } from './store.ts'

/** @param score the score of the basis, if it is already known */
export function toProfile(found: FoundAgent, score = scoreOf(found.basis)): AgentProfile {
  const { open_incident_count, response_count, response_ms, basis, ...shown } = found
  return nameWithheld({
    ...shown,
    homepage_url: publicLink(found, 'homepage_url'),
    card_url: publicLink(found, 'card_url'),
    success_rate: successRate(found),
    avg_response_ms: response_count === 0 ? null : Math.round(response_ms / response_count),
    ...shownScore(basis, score),
  })
}

type ListedAgent = Omit<
  AgentCreated,
  'tasks_completed' | 'tasks_failed' | 'incident_count' | keyof ShownScore | 'hidden_links' | keyof Membership
>

interface Listed<Agent> {
  agent: Agent
  membership: Membership
  stats: Pick<AgentCreated, 'tasks_completed' | 'tasks_failed' | 'incident_count'>
  basis: ScoreBasis
}

/** An agent as its operator sees it, with all other fields of the given agent. */
export function toCreated<Agent extends ListedAgent>({ agent, membership, stats, basis }: Listed<Agent>) {
  return { ...agent, hidden_links: hiddenLinks(agent), ...membership, ...stats, ...shownScore(basis) }
}

/** An agent as its registration returns it. */
export function toRegistered(
  agent: AgentInput & { id: string },
  { reg, placement }: { reg: string; placement: Placement },
  now: Date,
): AgentCreated {
  const { homepage_url = null, card_url = null } = agent
  const claims = { domain: null, homepage_url, card_url }
  return {
    ...agent,
    reg,
    ...toMembership(placement),
    status: 'active',
    ownership_status: 'unverified',
    ...claims,
    hidden_links: hiddenLinks(claims),
    texts_withheld_at: null,
    tasks_completed: 0,
    tasks_failed: 0,
    incident_count: 0,
    ...NO_SCORE,
    registered_at: now.toISOString(),
  }
}

/** The percentage of completed tasks with two decimals; null without tasks. */
export function successRate(tasks: { tasks_completed: number; tasks_failed: number }): string | null {
  const total = tasks.tasks_completed + tasks.tasks_failed
  return total === 0 ? null : ((100 * tasks.tasks_completed) / total).toFixed(2)
}
