import { type QuotaName, tierAbove } from '../db/tiers.ts'
import { ApiError } from '../errors.ts'
import { secondsLeftOfDay } from '../lib/time.ts'

/**
 * The error message for a request that would exceed a quota of the caller's tier.
 *
 * @param quota the number that the tier allows
 * @param what the items that are counted
 * @param instead what the caller can do without changing the tier
 */
export function overQuota(name: QuotaName, quota: number, what: string, instead: string): string {
  const higher = tierAbove(name, quota)
  const more = higher ? `, or ask the administrator of this registry to upgrade you to ${higher}` : ''
  return `your tier allows ${quota.toLocaleString('en-US')} ${what}: ${instead}${more}`
}

/** As `overQuota`, for a quota per UTC day. */
export function overDailyQuota(name: QuotaName, quota: number, what: string): string {
  return overQuota(
    name,
    quota,
    `${what} per UTC day, and this request would exceed that`,
    'try again after 00:00 UTC',
  )
}

/** RATE_LIMITED until the end of the UTC day. */
export function rejectedToday(message: string, now: Date): ApiError {
  return new ApiError('RATE_LIMITED', message, { 'Retry-After': String(secondsLeftOfDay(now)) })
}
