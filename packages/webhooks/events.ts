// Receivers can copy this file together with index.ts: it has no imports.

/** The body of a webhook; `test` in its data is true for a test event that the operator requested. */
interface Envelope<Type extends string, Data> {
  /** `evt_…`, the same in every attempt and redelivery. */
  id: string
  type: Type
  /** When it happened, ISO 8601. */
  created_at: string
  data: Data & { test?: true | undefined }
}

interface AgentData {
  reg: string
  name: string
  description: string
  class: 'A' | 'S' | 'H'
  status: 'active' | 'deactivated'
  ownership_status: 'unverified' | 'verified'
  /** The verified domain of the agent; null while it is unverified. */
  domain: string | null
  specializations: string[]
  tasks_completed: number
  /** Decimal with one place; null without a score. */
  trust_score_overall: string | null
  /** When trust_score_overall took this value; null without a score. */
  trust_score_updated: string | null
  operator_name: string
  /** Whether an identity document that was checked for the operator shows this name. */
  operator_name_verified: boolean
  /** Present if the registry withholds texts: the fields with a substitute. */
  withheld?: WithheldField[] | undefined
  /** The current platform of the agent; null if none. */
  platform_slug: string | null
  /** claimed: stated by the operator; confirmed: stated by the platform, too. */
  platform_state: 'claimed' | 'confirmed' | null
  registered_at: string
}

type WithheldField = 'name' | 'description' | 'specializations' | 'operator_name' | 'operator_name_verified'

type ChangedField =
  | 'name'
  | 'description'
  | 'specializations'
  | 'homepage_url'
  | 'card_url'
  | 'platform_slug'
  | 'keys'

interface OwnershipData {
  reg: string
  domain: string
  method: 'dns' | 'http'
  verified_at: string
}

interface Limited {
  /** Present if similar events before this one were not sent, because of a limit for agents that you have not confirmed. */
  truncated?: true | undefined
}

/** Scores are 0 to 100 with one decimal. */
interface TrustData extends Limited {
  reg: string
  previous_score: number
  new_score: number
  dimensions: Record<'reliability' | 'accuracy' | 'safety' | 'speed' | 'consistency', number>
}

interface ThresholdData extends Limited {
  reg: string
  threshold: 40 | 60 | 80
  direction: 'up' | 'down'
  previous_score: number
  new_score: number
}

/** `truncated` also marks the last `incident.created` of an agent and UTC minute: later ones are only listed. */
interface IncidentData extends Limited {
  incident_id: string
  reg: string
  title: string
  severity: 'info' | 'warning' | 'error' | 'critical'
  reported_by: 'operator' | 'platform'
  source: 'self' | 'unproven' | 'peer' | 'independent'
  /** Slug of the platform that reported the event; null for the operator of the agent. */
  platform: string | null
  description: string
  /** Present if the texts were redacted, that is, replaced with default texts. */
  redacted?: { at: string; reason: 'law' | 'secret' | 'personal' } | undefined
}

interface KycData {
  operator_id: string
  operator_name: string
  operator_name_verified: boolean
  /** Present if the registry withholds texts: the fields with a substitute. */
  withheld?: WithheldField[] | undefined
  kyc_status: 'verified'
  kyc_verified_at: string
  /** The first 1,000 active agents of the operator on this platform. */
  regs: string[]
  /** Present if the operator has more than these. */
  truncated?: true | undefined
}

/** A webhook event; `type` determines the type of its data. */
export type WebhookEvent =
  | Envelope<'agent.registered', AgentData>
  | Envelope<'agent.deactivated', AgentData>
  | Envelope<'agent.updated', AgentData & { changed: ChangedField[] }>
  | Envelope<'agent.ownership_verified', OwnershipData>
  | Envelope<'trust.updated', TrustData>
  | Envelope<'trust.threshold_crossed', ThresholdData>
  | Envelope<'incident.created', IncidentData & { status: 'open' }>
  | Envelope<
      'incident.resolved',
      IncidentData & { status: 'resolved'; resolution: string; resolved_at: string }
    >
  | Envelope<'operator.kyc_verified', KycData>
