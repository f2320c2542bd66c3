import type { EventType } from '../../db/enums.ts'

/** What each event type means, in one sentence. */
export const MEANINGS = {
  'agent.registered': 'An agent joined the platform, by registration or by moving to it',
  'agent.updated': 'The profile of an agent was updated, or the agent left the platform',
  'agent.deactivated': 'An agent was permanently deactivated by its operator',
  'agent.ownership_verified': 'The operator of an agent verified a domain for it',
  'trust.updated': 'The trust score of an agent was recomputed and changed',
  'trust.threshold_crossed': 'The trust score of an agent crossed 40, 60, or 80, up or down',
  'incident.created': 'An incident was opened for an agent',
  'incident.resolved': 'An incident was resolved',
  'operator.kyc_verified': 'An operator with agents on the platform passed an identity check',
} as const satisfies Record<EventType, string>
