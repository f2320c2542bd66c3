import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Db } from './client.ts'
import type { Tier } from './enums.ts'
import { jsonb } from './sql.ts'

interface Quotas {
  active_agents: number
  registrations_per_day: number
  /** Of an agent's texts, links and platform, each of which is a leaf of the transparency log. */
  changes_per_day: number
  /** An operator's own and those of its platforms together. */
  live_keys: number
  /** The highest limit of an API key, in requests per minute. */
  key_requests_per_minute: number
  /** A new one ends the oldest. */
  live_sessions: number
  platforms: number
  /** Of an agent and a UTC day, for what its operator's keys send and for what others' send, each. */
  events_per_day: number
  metadata_bytes_per_day: number
  /** To one host, of all its platforms together; null for as many as go ten at a time. */
  webhooks_per_minute: number | null
}

export type QuotaName = Exclude<keyof Quotas, 'webhooks_per_minute'>

/** What one operator may cause, by tier. Days are UTC days. */
export const QUOTAS = {
  free: {
    active_agents: 3,
    registrations_per_day: 10,
    changes_per_day: 100,
    live_keys: 20,
    key_requests_per_minute: 60,
    live_sessions: 20,
    platforms: 3,
    events_per_day: 20_000,
    metadata_bytes_per_day: 20_000_000,
    webhooks_per_minute: 600,
  },
  pro: {
    active_agents: 50,
    registrations_per_day: 100,
    changes_per_day: 100,
    live_keys: 100,
    key_requests_per_minute: 600,
    live_sessions: 20,
    platforms: 20,
    events_per_day: 200_000,
    metadata_bytes_per_day: 200_000_000,
    webhooks_per_minute: 600,
  },
  business: {
    active_agents: 500,
    registrations_per_day: 1_000,
    changes_per_day: 200,
    live_keys: 500,
    key_requests_per_minute: 3_000,
    live_sessions: 50,
    platforms: 100,
    events_per_day: 2_000_000,
    metadata_bytes_per_day: 2_000_000_000,
    webhooks_per_minute: null,
  },
  enterprise: {
    active_agents: 10_000,
    registrations_per_day: 20_000,
    changes_per_day: 500,
    live_keys: 2_000,
    key_requests_per_minute: 10_000,
    live_sessions: 50,
    platforms: 1_000,
    events_per_day: 20_000_000,
    metadata_bytes_per_day: 20_000_000_000,
    webhooks_per_minute: null,
  },
} as const satisfies Record<Tier, Quotas>

export const FIRST_TIER: Tier = 'free'

/**
 * Locks an operator until the end of its batch: a statement after it counts what others have written, and none of them
 * writes before the batch has ended.
 */
export function holdOperator(db: Db, id: string) {
  return db.execute(sql`select from operators where id = ${id}::uuid for no key update`)
}

/**
 * One quota of an operator, in SQL.
 *
 * @param tier the operator's column
 */
export function quotaOf(tier: SQLWrapper, name: keyof Quotas): SQL {
  const byTier = Object.fromEntries(Object.entries(QUOTAS).map(([key, quotas]) => [key, quotas[name]]))
  return sql`(${jsonb(byTier)} ->> ${tier})::bigint`
}

/**
 * The lowest tier that allows more of something, with how much; null above the highest.
 *
 * @param allowed what is allowed now
 */
export function tierAbove(name: QuotaName, allowed: number): string | null {
  const found = Object.entries(QUOTAS).find(([, quotas]) => quotas[name] > allowed)
  return found ? `${found[0]} (${found[1][name].toLocaleString('en')})` : null
}
