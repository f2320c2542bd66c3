import { type CeilingName, tierAbove } from '../db/tiers.ts'
import { ApiError } from '../errors.ts'
import { secondsLeftOfDay } from '../lib/time.ts'

/**
 * Says that something would pass a ceiling of the caller's tier, and how to go on.
 *
 * @param ceiling the number that the tier allows
 * @param what of which there may be so many
 * @param instead what the caller can do without another tier
 */
export function overCeiling(name: CeilingName, ceiling: number, what: string, instead: string): string {
  const higher = tierAbove(name, ceiling)
  const more = higher ? `, or ask the administrator of this registry to upgrade you to ${higher}` : ''
  return `your tier allows ${ceiling.toLocaleString('en-US')} ${what}: ${instead}${more}`
}

/** As `overCeiling`, of a ceiling that holds for a UTC day. */
export function overDailyCeiling(name: CeilingName, ceiling: number, what: string): string {
  return overCeiling(
    name,
    ceiling,
    `${what} per UTC day, and this request would exceed that`,
    'try again after 00:00 UTC',
  )
}

/** A refusal until the UTC day ends. */
export function refusedToday(message: string, now: Date): ApiError {
  return new ApiError('RATE_LIMITED', message, { 'Retry-After': String(secondsLeftOfDay(now)) })
}
