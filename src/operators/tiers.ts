import type { Tier } from '../db/enums.ts'

/** Agents that an operator may have active, by tier. */
export const TIER_AGENT_LIMIT = {
  free: 3,
  pro: 50,
  business: 500,
  enterprise: 10_000,
} as const satisfies Record<Tier, number>

/** The highest limit of an API key in requests per minute, by tier. */
export const TIER_KEY_LIMIT = {
  free: 60,
  pro: 600,
  business: 3_000,
  enterprise: 10_000,
} as const satisfies Record<Tier, number>

export const FIRST_TIER: Tier = 'free'
