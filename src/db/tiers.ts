import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { each, TIERS, type Tier } from './enums.ts'
import { jsonb } from './sql.ts'

/** The quotas of an operator by tier, from free to enterprise. Days are UTC days. */
const BY_TIER = {
  active_agents: [3, 50, 500, 10_000],
  registrations_per_day: [10, 100, 1_000, 20_000],
  /** Changes per agent of its texts, links, or platform; each becomes a leaf of the transparency log. */
  changes_per_day: [100, 100, 200, 500],
  /** Changes of the operator, its keys, tokens, platforms, challenges, and deactivated agents, and webhooks sent again. */
  account_changes_per_day: [500, 2_000, 10_000, 50_000],
  /** Keys of the operator and of its platforms together. */
  live_keys: [20, 100, 500, 2_000],
  /** The maximum rate limit of an API key, in requests per minute. */
  key_requests_per_minute: [60, 600, 3_000, 10_000],
  /** Beyond this, a new session ends the oldest. */
  live_sessions: [20, 20, 50, 50],
  platforms: [3, 20, 100, 1_000],
  /** Events per agent, for each side: reports by its own operator, and reports by the platform of another operator. */
  events_per_day: [20_000, 200_000, 2_000_000, 20_000_000],
  metadata_bytes_per_day: [20_000_000, 200_000_000, 2_000_000_000, 20_000_000_000],
  /** Responses to reports of the operator and its platforms that are stored for an Idempotency-Key. */
  idempotency_bytes_per_day: [20_000_000, 1_000_000_000, 10_000_000_000, 100_000_000_000],
} as const

/** Attempts to one host by all platforms of an operator; null: no limit but ten at a time. */
const WEBHOOKS_PER_MINUTE = { free: 600, pro: 600, business: null, enterprise: null } as const

export type QuotaName = keyof typeof BY_TIER

type Quotas = Record<QuotaName, number> & { webhooks_per_minute: number | null }

export const QUOTAS: Readonly<Record<Tier, Quotas>> = each(TIERS, quotasOf)

function quotasOf(tier: Tier): Quotas {
  const ofTier = Object.entries(BY_TIER).map(([name, quotas]) => [name, quotas[TIERS.indexOf(tier)]])
  const quotas = Object.fromEntries(ofTier) as Record<QuotaName, number> // with the names of the table
  return { ...quotas, webhooks_per_minute: WEBHOOKS_PER_MINUTE[tier] }
}

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
