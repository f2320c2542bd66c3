import type { NotificationType } from '../db/enums.ts'

interface Kind {
  /** Name of this kind of mail, in the unsubscribe link. */
  label: string
  /** What the operator can do, as a sentence. */
  advice: string
  /** Label of the link. */
  action: string
  /** Path of the link; `{reg}` and `{incident}` are replaced with the agent number and the id of the incident. */
  path: string
}

/** The mail texts of each type of notification. */
export const KINDS = {
  trust_alert: {
    label: 'trust alerts',
    advice: 'See which dimension fell and which events moved it.',
    action: 'See the score',
    path: '/agents/{reg}',
  },
  incident_alert: {
    label: 'incident alerts',
    advice:
      'Find the cause, then resolve the incident and state how. It still counts toward the safety score.',
    action: 'Open the incident',
    path: '/console/agents/{reg}/incidents#incident-{incident}',
  },
  weekly_digest: {
    label: 'weekly digests',
    advice: 'The console shows each agent with its score, its events, and its open incidents.',
    action: 'Open the console',
    path: '/console',
  },
  kyc_reminder: {
    label: 'identity check reminders',
    advice: 'An identity check takes a few minutes. You need a photo ID and a camera.',
    action: 'Start an identity check',
    path: '/console/account',
  },
  webhook_disabled: {
    label: 'disabled webhook alerts',
    advice: 'Fix the receiver, enable the webhook again, then recover the skipped events.',
    action: 'Open the console',
    path: '/console',
  },
  ownership_lost: {
    label: 'domain verification alerts',
    advice: 'Create a new challenge in the console, and publish the record or file that it shows.',
    action: 'Verify the domain',
    path: '/console/agents/{reg}/domain',
  },
  platform_membership: {
    label: 'platform alerts',
    advice: 'Check which platform the agent is on.',
    action: 'Open the agent',
    path: '/console/agents/{reg}',
  },
  agent_key: {
    label: 'alerts about keys of agents',
    advice: 'If you did not do this, revoke the key as compromised, and revoke all your sessions.',
    action: 'See its keys',
    path: '/console/agents/{reg}/keys',
  },
} as const satisfies Record<NotificationType, Kind>
