import { eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import type { Tier } from '../db/enums.ts'
import { operators } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'
import { QUOTAS } from '../db/tiers.ts'
import { type Transaction, transaction } from '../db/transaction.ts'
import { ApiError } from '../errors.ts'
import { DAY_MS, MINUTE_MS } from '../lib/time.ts'
import { overDailyQuota, rejectedToday } from '../wire/quota.ts'

/** What an operator may do per UTC day or minute, over all its sessions and keys: `most`, or a quota of its tier. */
export const ALLOWANCES = {
  changes: { per: DAY_MS, quota: 'account_changes_per_day', what: 'changes to your account' },
  registrations: { per: DAY_MS, quota: 'registrations_per_day', what: 'registrations' },
  // As many as registrations: with either, reports of platforms on one more agent count from 0.
  moves: { per: DAY_MS, quota: 'registrations_per_day', what: 'moves of agents to a platform' },
  sign_ins: { per: DAY_MS, most: 200, what: 'sign-ins' },
  new_keys: { per: MINUTE_MS, most: 10, what: 'new API keys' },
  looks: { per: MINUTE_MS, most: 10, what: 'checks of a domain' },
  looks_of_day: { per: DAY_MS, most: 200, what: 'checks of a domain' },
  audited_rotations: { per: DAY_MS, most: 1_000, what: 'entries for rotated secrets' },
} as const

export type Allowance = keyof typeof ALLOWANCES

interface Taker {
  operator_id: string
  tier: Tier
}

/**
 * Takes one of an allowance with a write, which is refused if none is left; a write that is refused takes none. The
 * operator's row is locked, so that two writes never wait for each other's allowance and row.
 *
 * @param unless a condition under which the write takes none, because it changes nothing
 */
export function takeAllowance(
  write: Pick<Transaction<never>, 'lock' | 'require'>,
  { operator_id, tier }: Taker,
  name: Allowance,
  now: Date,
  unless = sql`false`,
): void {
  write.lock(operators, eq(operators.id, operator_id))
  const { taken, error } = allowanceOf(sql`${operator_id}::uuid`, tier, name, now)
  write.require(sql`${unless} or ${taken}`, error)
}

/** The requirement that takes one of an allowance, and the error if none is left. Lock the operator's row. */
export function allowanceOf(operatorId: SQL, tier: Tier, name: Allowance, now: Date) {
  const { per } = ALLOWANCES[name]
  const since = timestamptz(new Date(Math.floor(now.getTime() / per) * per))
  const taken = sql`take_allowance(${operatorId}, ${name}, ${since}, ${mostOf(name, tier)}::integer)`
  return { taken, error: rejection(name, tier, now) }
}

/** Takes one of each of these allowances, for something that is not a write. */
export async function takeAllowances(db: Db, taker: Taker, names: Allowance[], now: Date): Promise<void> {
  const write = transaction(db)
  for (const name of names) takeAllowance(write, taker, name, now)
  await write.run()
}

function mostOf(name: Allowance, tier: Tier): number {
  const allowance = ALLOWANCES[name]
  return 'most' in allowance ? allowance.most : QUOTAS[tier][allowance.quota]
}

function rejection(name: Allowance, tier: Tier, now: Date): ApiError {
  const allowance = ALLOWANCES[name]
  const { per, what } = allowance
  const most = mostOf(name, tier)
  if ('quota' in allowance) return rejectedToday(overDailyQuota(allowance.quota, most, what), now)
  const unit = per === DAY_MS ? 'UTC day' : 'minute'
  const seconds = Math.ceil((per - (now.getTime() % per)) / 1000)
  const message = `an operator may make ${most} ${what} per ${unit}, over all its sessions; try again in ${seconds} s`
  return new ApiError('RATE_LIMITED', message, { 'Retry-After': String(seconds) })
}
