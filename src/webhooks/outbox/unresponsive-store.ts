import { type SQL, sql } from 'drizzle-orm'
import { utcDay } from '../../lib/time.ts'

/** Attempts per operator and UTC day to URLs that have never returned 2xx; the last ones are reserved for test events. */
export const UNRESPONSIVE_PER_DAY = 200
export const UNRESERVED_PER_DAY = 180

/**
 * Whether another attempt to the URL of a platform can be made today: nobody can have the registry call hosts that do not
 * expect its webhooks more often than `UNRESPONSIVE_PER_DAY`. A 2xx ends this limit for the URL.
 *
 * @param platform the row of `platforms`
 * @param operator the row of its operator
 * @param max maximum number of attempts, without reserved ones by default
 */
export function hasAttemptsLeft(platform: SQL, operator: SQL, now: Date, max = UNRESERVED_PER_DAY): SQL {
  return sql`(${platform}.last_response_at is not null or ${unresponsiveToday(operator, now)} < ${max}::integer)`
}

/** The number of attempts today by the platforms of an operator to URLs that have never returned 2xx. */
export function unresponsiveToday(operator: SQL, now: Date): SQL {
  return sql`of_today(${operator}.unresponsive_day, ${utcDay(now)}::date, ${operator}.unresponsive_attempts)`
}
