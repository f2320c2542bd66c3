import { DAY_MS } from '../lib/time.ts'

/** How long a check can stay open before a start replaces it with a new one. */
export const CHECK_MS = DAY_MS

/** The reason of a failed check whose document belongs to a different person than earlier checks. */
export const ANOTHER_PERSON = 'another_person'

/** Maximum number of checks per operator and UTC day: each one costs money. */
export const CHECKS_PER_DAY = 5

/**
 * The age from which a check is settled without its person. The URL of a session works for 48 hours, and its document is
 * readable for another 48 hours.
 */
export const UNREADABLE_MS = 4 * DAY_MS

const VALID_DAYS = 365
const RENEWAL_DAYS = 30

/** Reminders are sent this many days before a verification expires. */
export const REMINDER_DAYS = { first: 30, last: 7 } as const

/** When a verification expires. */
export function expiryOf(verifiedAt: Date): Date {
  return daysAfter(verifiedAt, VALID_DAYS)
}

/** The time from which a verification can be renewed. */
export function renewalOf(expiresAt: Date): Date {
  return daysAfter(expiresAt, -RENEWAL_DAYS)
}

/** The latest expiry of a verification that can be renewed now. */
export function renewableUntil(now: Date): Date {
  return daysAfter(now, RENEWAL_DAYS)
}

export function daysAfter(instant: Date, days: number): Date {
  return new Date(instant.getTime() + days * DAY_MS)
}
