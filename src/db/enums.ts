/** All enumerations; tables, request schemas, and the OpenAPI document use these lists. */
export const OPERATOR_STATUSES = ['active', 'suspended'] as const
export const KYC_STATUSES = ['unverified', 'pending', 'verified', 'failed', 'expired'] as const
export const KYC_PROVIDERS = ['stripe'] as const
export const KYC_CHECK_STATUSES = ['pending', 'verified', 'failed', 'canceled'] as const
export const TIERS = ['free', 'pro', 'business', 'enterprise'] as const
export const PERMISSIONS = ['read', 'write', 'activity:report'] as const

/** A autonomous, S semi-autonomous, H human-assisted. */
export const AGENT_CLASSES = ['A', 'S', 'H'] as const
export const AGENT_STATUSES = ['active', 'deactivated'] as const
/** `claimed` by the operator of the agent, or also `confirmed` by the platform. */
export const PLATFORM_STATES = ['claimed', 'confirmed'] as const
/** The state of a membership in responses, which also shows that the platform is retired. */
export const SHOWN_PLATFORM_STATES = [...PLATFORM_STATES, 'retired'] as const
export const OWNERSHIP_STATUSES = ['unverified', 'verified'] as const
export const OWNERSHIP_METHODS = ['dns', 'http'] as const

export const KEY_STATUSES = ['active', 'expired', 'revoked'] as const
/** Why the operator revoked a key of an agent. */
export const KEY_REASONS = ['rotated', 'compromised', 'unused'] as const

export const SEVERITIES = ['info', 'warning', 'error', 'critical'] as const
export const REPORTERS = ['operator', 'platform'] as const
/** Who reported an event: the agent's own operator, another verified person, or an established platform. */
export const SOURCES = ['self', 'unproven', 'peer', 'independent'] as const
/** `failed`: down after a shutdown of severity error or critical, the only downtime that counts. */
export const LIFECYCLE_STATES = ['up', 'down', 'failed'] as const
export const INCIDENT_STATUSES = ['open', 'resolved'] as const

/** The standings that follow from what was reported; of those that apply, the first. */
export const RECORD_STANDINGS = [
  'critical',
  'unrated',
  'poor',
  'self_reported',
  'mixed',
  'attested',
  'established',
] as const
export const STANDINGS = ['suspended', 'deactivated', ...RECORD_STANDINGS] as const

export const REDACTION_REASONS = ['law', 'secret', 'personal'] as const

export const PLATFORM_STATUSES = ['active', 'retired'] as const
/** Whether a platform receives events about claimed agents, or only after its approval. */
export const ADMISSIONS = ['open', 'approval'] as const
export const WEBHOOK_STATUSES = ['enabled', 'disabled'] as const
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'skipped'] as const
/** The types of webhook events: docs/use/webhooks.md, "Event types". */
export const EVENT_TYPES = [
  'agent.registered',
  'agent.updated',
  'agent.deactivated',
  'agent.ownership_verified',
  'trust.updated',
  'trust.threshold_crossed',
  'incident.created',
  'incident.resolved',
  'operator.kyc_verified',
] as const

/** The types whose mails an operator can turn off: not those about keys, or a thief of a session would do it first. */
export const MAIL_OPT_OUTS = [
  'trust_alert',
  'incident_alert',
  'weekly_digest',
  'kyc_reminder',
  'webhook_disabled',
  'ownership_lost',
  'platform_membership',
] as const
export const NOTIFICATION_TYPES = [...MAIL_OPT_OUTS, 'agent_key'] as const

/** The notification settings of an operator. */
export const NOTIFICATION_PREFS = [
  'trust_alerts',
  'incident_alerts',
  'weekly_digest',
  'kyc_reminders',
] as const

/** `skipped`: the operator has unsubscribed in the meantime, or its address is rejected. */
export const MAIL_STATUSES = ['pending', 'sent', 'failed', 'skipped'] as const

export type Tier = (typeof TIERS)[number]
export type Permission = (typeof PERMISSIONS)[number]
export type KeyStatus = (typeof KEY_STATUSES)[number]
export type KeyReason = (typeof KEY_REASONS)[number]
export type Severity = (typeof SEVERITIES)[number]
export type Reporter = (typeof REPORTERS)[number]
export type Source = (typeof SOURCES)[number]
export type NotificationPref = (typeof NOTIFICATION_PREFS)[number]
export type LifecycleState = (typeof LIFECYCLE_STATES)[number]
export type AgentStatus = (typeof AGENT_STATUSES)[number]
export type OperatorStatus = (typeof OPERATOR_STATUSES)[number]
export type PlatformStatus = (typeof PLATFORM_STATUSES)[number]
export type PlatformState = (typeof PLATFORM_STATES)[number]
export type ShownPlatformState = (typeof SHOWN_PLATFORM_STATES)[number]
export type RecordStanding = (typeof RECORD_STANDINGS)[number]
export type Standing = (typeof STANDINGS)[number]
export type EventType = (typeof EVENT_TYPES)[number]
export type NotificationType = (typeof NOTIFICATION_TYPES)[number]
export type MailOptOut = (typeof MAIL_OPT_OUTS)[number]

/** An object with a value for each name, in the order of the list. */
export function each<N extends string, T>(names: readonly N[], make: (name: N) => T): Record<N, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<N, T>
}
