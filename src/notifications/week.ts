import { DAY_MS, utcDay } from '../lib/time.ts'

/** The Monday of the UTC week that contains an instant, as `YYYY-MM-DD`. */
export function mondayOf(instant: Date): string {
  const daysSinceMonday = (instant.getUTCDay() + 6) % 7
  return utcDay(new Date(instant.getTime() - daysSinceMonday * DAY_MS))
}

/** The UTC week before the one that contains an instant: from midnight on Monday to midnight on the next Monday. */
export function lastWeek(instant: Date): { since: Date; until: Date } {
  const until = new Date(`${mondayOf(instant)}T00:00:00Z`)
  return { since: new Date(until.getTime() - 7 * DAY_MS), until }
}
