import type { EventType } from '../../db/enums.ts'

/** What each event type means, in one sentence. */
export const MEANINGS = {
  'agent.registered': 'An agent was registered on the platform, or has moved to it',
  'agent.updated': "Texts or links of an agent's profile were changed, or it is on this platform no more",
  'agent.deactivated': 'An agent was deactivated by its operator, permanently',
  'agent.ownership_verified': 'The operator of an agent has proved that it holds a domain',
  'trust.updated': 'The trust score of an agent was computed and has changed',
  'trust.threshold_crossed': 'The trust score of an agent has crossed 40, 60 or 80',
  'incident.created': 'An incident was opened for an agent',
  'incident.resolved': 'An incident was resolved',
  'operator.kyc_verified':
    'A person behind the account of an operator with agents on the platform has shown an identity document',
} as const satisfies Record<EventType, string>
