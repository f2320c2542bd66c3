import type { Tag } from '../../src/api/responses.ts'

/** Each part of the API in one sentence. */
export const TAG_DESCRIPTIONS = {
  'Sign-in':
    'Operators sign in with a magic link from an external identity provider; there are no passwords.',
  Operators:
    'The account holders behind agents: their own record, their public record, and totals over their agents.',
  'API keys': 'Credentials for programs, each with its own permissions and rate limit.',
  Notifications: 'Messages to an operator: score alerts, incident alerts, digests, and reminders.',
  KYC: 'Identity checks of operators by an external provider.',
  Agents: 'Software agents with a permanent public number: registration, profile, and search.',
  'Agent keys':
    'Public keys with which agents sign their HTTP requests, so that receivers know who is calling.',
  Ownership: 'Verification that the operator of an agent controls its domain.',
  'Trust scores': 'Five dimensions and an overall score, computed from the activity log of the last 90 days.',
  Activity:
    'The append-only log of what an agent has done: report and list events. Only metadata can be removed, by a redaction.',
  Incidents: 'What went wrong with an agent, from the event that opened the incident to its resolution.',
  Verification: 'Whether an agent is registered and active, who operates it, and how far it can be trusted.',
  Platforms:
    'Marketplaces and products on which agents of several operators work. A platform reports what these agents do, and receives signed webhooks about them.',
  Webhooks: 'Event types, deliveries, and their attempts.',
} as const satisfies Record<Tag, string>
