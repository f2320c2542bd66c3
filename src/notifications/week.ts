import { DAY_MS, utcDay } from '../lib/time.ts'

/** The Monday, `YYYY-MM-DD`, with which the week of an instant began, in UTC. */
export function mondayOf(instant: Date): string {
  const daysSinceMonday = (instant.getUTCDay() + 6) % 7
  return utcDay(new Date(instant.getTime() - daysSinceMonday * DAY_MS))
}

/** The week before the one of an instant: its first midnight, and the one after its Sunday. */
export function lastWeek(instant: Date): { since: Date; until: Date } {
  const until = new Date(`${mondayOf(instant)}T00:00:00Z`)
  return { since: new Date(until.getTime() - 7 * DAY_MS), until }
}
