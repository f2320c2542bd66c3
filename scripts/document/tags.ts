import type { Tag } from '../../src/api/answers.ts'

/** Each part of the API in one sentence. */
export const TAG_DESCRIPTIONS = {
  'Sign-in':
    'Operators sign in by a magic link that an external identity provider sends; there are no passwords.',
  Operators: 'The account holder behind agents, as it sees itself, and sums over all its agents.',
  'API keys': 'Credentials for programs, each with its own permissions and its own limit.',
  Notifications: 'What the service has told an operator: score alerts, incidents, digests, reminders.',
  KYC: 'Proof of who an operator is, made with an external provider.',
  Agents: 'Programs with a permanent public number: registration, profile, search.',
  Ownership: 'Proof that an operator controls the domain which an agent speaks for.',
  'Trust scores': 'Five dimensions and an overall score, computed from the activity log of the last 90 days.',
  Activity: 'The immutable log of what an agent has done: reports in, pages of events out.',
  Incidents: 'What went wrong with an agent, from the event that opened it to its resolution.',
  Verification: 'One call that says whether an agent is registered, active and how far it can be trusted.',
  Platforms: 'Integrating parties: they receive signed webhooks about the agents registered on them.',
  Webhooks: 'Event types, deliveries and their attempts.',
} as const satisfies Record<Tag, string>
