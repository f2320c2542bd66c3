import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Tier } from './enums.ts'
import { jsonb } from './sql.ts'

interface Quotas {
  active_agents: number
  registrations_per_day: number
  /** Changes per agent of its texts, links, or platform; each becomes a leaf of the transparency log. */
  changes_per_day: number
  /** Changes of the operator, its keys, tokens, platforms, challenges, and deactivated agents, and webhooks sent again. */
  account_changes_per_day: number
  /** Keys of the operator and of its platforms together. */
  live_keys: number
  /** The maximum rate limit of an API key, in requests per minute. */
  key_requests_per_minute: number
  /** Beyond this, a new session ends the oldest. */
  live_sessions: number
  platforms: number
  /** Events per agent, for each side: reports by its own operator, and reports by the platform of another operator. */
  events_per_day: number
  metadata_bytes_per_day: number
  /** Responses to reports of the operator and its platforms that are stored for an Idempotency-Key. */
  idempotency_bytes_per_day: number
  /** Attempts to one host by all platforms of the operator; null: no limit but ten at a time. */
  webhooks_per_minute: number | null
}

export type QuotaName = Exclude<keyof Quotas, 'webhooks_per_minute'>

/** The quotas of an operator by tier. Days are UTC days. */
export const QUOTAS = {
  free: {
    active_agents: 3,
    registrations_per_day: 10,
    changes_per_day: 100,
    account_changes_per_day: 500,
    live_keys: 20,
    key_requests_per_minute: 60,
    live_sessions: 20,
    platforms: 3,
    events_per_day: 20_000,
    metadata_bytes_per_day: 20_000_000,
    idempotency_bytes_per_day: 20_000_000,
    webhooks_per_minute: 600,
  },
  pro: {
    active_agents: 50,
    registrations_per_day: 100,
    changes_per_day: 100,
    account_changes_per_day: 2_000,
    live_keys: 100,
    key_requests_per_minute: 600,
    live_sessions: 20,
    platforms: 20,
    events_per_day: 200_000,
    metadata_bytes_per_day: 200_000_000,
    idempotency_bytes_per_day: 1_000_000_000,
    webhooks_per_minute: 600,
  },
  business: {
    active_agents: 500,
    registrations_per_day: 1_000,
    changes_per_day: 200,
    account_changes_per_day: 10_000,
    live_keys: 500,
    key_requests_per_minute: 3_000,
    live_sessions: 50,
    platforms: 100,
    events_per_day: 2_000_000,
    metadata_bytes_per_day: 2_000_000_000,
    idempotency_bytes_per_day: 10_000_000_000,
    webhooks_per_minute: null,
  },
  enterprise: {
    active_agents: 10_000,
    registrations_per_day: 20_000,
    changes_per_day: 500,
    account_changes_per_day: 50_000,
    live_keys: 2_000,
    key_requests_per_minute: 10_000,
    live_sessions: 50,
    platforms: 1_000,
    events_per_day: 20_000_000,
    metadata_bytes_per_day: 20_000_000_000,
    idempotency_bytes_per_day: 100_000_000_000,
    webhooks_per_minute: null,
  },
} as const satisfies Record<Tier, Quotas>

export const FIRST_TIER: Tier = 'free'

/**
 * A quota of an operator as a SQL expression.
 *
 * @param tier the column `tier` of the operator
 */
export function quotaOf(tier: SQLWrapper, name: keyof Quotas): SQL {
  const byTier = Object.fromEntries(Object.entries(QUOTAS).map(([key, quotas]) => [key, quotas[name]]))
  return sql`(${jsonb(byTier)} ->> ${tier})::bigint`
}

/**
 * The lowest tier that allows more than `allowed`, with its quota: `pro (50)`; null if there is none.
 */
export function tierAbove(name: QuotaName, allowed: number): string | null {
  const found = Object.entries(QUOTAS).find(([, quotas]) => quotas[name] > allowed)
  return found ? `${found[0]} (${found[1][name].toLocaleString('en')})` : null
}
