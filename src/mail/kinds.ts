import type { NotificationType } from '../db/enums.ts'

interface Kind {
  /** Name of this kind of mail, in the unsubscribe link. */
  label: string
  /** What the operator can do, as a sentence. */
  advice: string
  /** Label of the link. */
  action: string
  /** Path of the link; `{reg}` is replaced with the agent number. */
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
    advice: 'Find the cause, then resolve the incident: open incidents count against the safety score.',
    action: 'Open the agent',
    path: '/console/agents/{reg}',
  },
  weekly_digest: {
    label: 'weekly digests',
    advice: 'The console shows each agent with its score, its events and its open incidents.',
    action: 'Open the console',
    path: '/console',
  },
  kyc_reminder: {
    label: 'identity verification reminders',
    advice: 'A check takes a few minutes: you need a photo ID and a camera.',
    action: 'Start a check',
    path: '/console/account',
  },
  webhook_disabled: {
    label: 'notices of disabled webhooks',
    advice: 'Fix the receiver, enable the webhook again, then recover the events that were skipped.',
    action: 'Open the console',
    path: '/console',
  },
  ownership_lost: {
    label: 'notices of lost ownership',
    advice: 'Publish the proof again: the console shows the record or file.',
    action: 'Verify the domain',
    path: '/console/agents/{reg}',
  },
  platform_membership: {
    label: 'notices about platforms',
    advice: 'Review which platform the agent is on.',
    action: 'Open the agent',
    path: '/console/agents/{reg}',
  },
} as const satisfies Record<NotificationType, Kind>
