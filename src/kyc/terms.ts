import { DAY_MS } from '../lib/time.ts'

/** How long a check may stay open before a start makes a new one. */
export const CHECK_MS = DAY_MS

/** Why a check has failed whose document is that of another person than the checks before. */
export const ANOTHER_PERSON = 'another_person'

/** How many checks an operator may open on a UTC day: the provider is paid for each. */
export const CHECKS_PER_DAY = 5

/** From when on an outcome stands without its person: an address works for 48 h, a document can be read for 48 h after. */
export const UNREADABLE_MS = 4 * DAY_MS

const VALID_DAYS = 365
const RENEWAL_DAYS = 30

/** Days before the end at which an operator is reminded. */
export const REMINDER_DAYS = { first: 30, last: 7 } as const

/** When a verification of this moment ends. */
export function expiryOf(verifiedAt: Date): Date {
  return daysAfter(verifiedAt, VALID_DAYS)
}

/** From when on a verification may be renewed. */
export function renewalOf(expiresAt: Date): Date {
  return daysAfter(expiresAt, -RENEWAL_DAYS)
}

/** The latest end of a verification that may be renewed now. */
export function renewableUntil(now: Date): Date {
  return daysAfter(now, RENEWAL_DAYS)
}

/** The instant so many days after another. */
export function daysAfter(instant: Date, days: number): Date {
  return new Date(instant.getTime() + days * DAY_MS)
}
