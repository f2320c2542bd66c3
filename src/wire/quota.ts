import { type QuotaName, tierAbove } from '../db/tiers.ts'
import { ApiError } from '../errors.ts'
import { secondsLeftOfDay } from '../lib/time.ts'

/**
 * Says that something would pass a quota of the caller's tier, and how to go on.
 *
 * @param quota the number that the tier allows
 * @param what of which there may be so many
 * @param instead what the caller can do without another tier
 */
export function overQuota(name: QuotaName, quota: number, what: string, instead: string): string {
  const higher = tierAbove(name, quota)
  const more = higher ? `, or ask the administrator of this registry to upgrade you to ${higher}` : ''
  return `your tier allows ${quota.toLocaleString('en-US')} ${what}: ${instead}${more}`
}

/** As `overQuota`, of a quota that holds for a UTC day. */
export function overDailyQuota(name: QuotaName, quota: number, what: string): string {
  return overQuota(
    name,
    quota,
    `${what} per UTC day, and this request would exceed that`,
    'try again after 00:00 UTC',
  )
}

/** An error until the UTC day ends. */
export function rejectedToday(message: string, now: Date): ApiError {
  return new ApiError('RATE_LIMITED', message, { 'Retry-After': String(secondsLeftOfDay(now)) })
}
