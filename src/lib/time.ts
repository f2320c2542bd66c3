export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/**
 * Turns what Postgres or JavaScript calls a time into ISO 8601 in UTC with milliseconds and `Z`.
 *
 * @param value a `timestamptz` in Postgres text form, an ISO 8601 text, or a Date
 * @throws RangeError when the value is no time
 */
export function toIso(value: string | Date): string {
  return new Date(value).toISOString()
}

/** When the UTC day of an instant ends, and the next begins. */
export function endOfDay(instant: Date): Date {
  return new Date((Math.floor(instant.getTime() / DAY_MS) + 1) * DAY_MS)
}

/** How many seconds, rounded up, a UTC day goes on after an instant of it. */
export function secondsLeftOfDay(instant: Date): number {
  return Math.ceil((endOfDay(instant).getTime() - instant.getTime()) / 1000)
}

/** The UTC day `YYYY-MM-DD` of an instant. */
export function utcDay(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}
