import { type Placement, toMembership } from '../members/membership.ts'
import { NO_SCORE } from '../trust/shown.ts'
import { hiddenLinks } from './links.ts'
import type { AgentCreated } from './responses.ts'
import type { AgentInput } from './schema.ts'

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
