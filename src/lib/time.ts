export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/**
 * A time in ISO 8601, in UTC with milliseconds and `Z`.
 *
 * @param value a `timestamptz` in Postgres text form, an ISO 8601 text, or a Date
 * @throws RangeError if the value is not a time
 */
export function toIso(value: string | Date): string {
  return new Date(value).toISOString()
}

/** The instant that was so many hours before another one. */
export function hoursBefore(instant: Date, hours: number): Date {
  return new Date(instant.getTime() - hours * HOUR_MS)
}

/** The end of the UTC day of an instant, which is the start of the next day. */
export function endOfDay(instant: Date): Date {
  return new Date((Math.floor(instant.getTime() / DAY_MS) + 1) * DAY_MS)
}

/** Seconds from an instant to the end of its UTC day, rounded up. */
export function secondsLeftOfDay(instant: Date): number {
  return Math.ceil((endOfDay(instant).getTime() - instant.getTime()) / 1000)
}

/** The UTC day `YYYY-MM-DD` of an instant. */
export function utcDay(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}

/** The number of days from 1970-01-01 to a day `YYYY-MM-DD`. */
export function dayNumber(day: string): number {
  return Date.parse(day) / DAY_MS
}

/** The day `YYYY-MM-DD` that is `days` after 1970-01-01; toISOString would take four times as long. */
export function dayOf(days: number): string {
  const date = new Date(days * DAY_MS)
  const [month, day] = [date.getUTCMonth() + 1, date.getUTCDate()]
  return `${date.getUTCFullYear()}-${month < 10 ? 0 : ''}${month}-${day < 10 ? 0 : ''}${day}`
}
