export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

const ZERO = 48 // the character code of 0
const DAYS_BEFORE_1970 = 719_469 // of the calendar that dayNumber counts in

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

/** The number of a UTC day `YYYY-MM-DD`: how many days after 1970 began. Digit by digit: a tenth of the time of Date.parse. */
export function dayNumber(day: string): number {
  const [year, month] = [number(day, 0, 4), number(day, 5, 7)]
  // Of years that begin in March the leap day is the last one.
  const [years, months] = month > 2 ? [year, month - 3] : [year - 1, month + 9]
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  const days = 365 * years + leapDays + Math.floor((153 * months + 2) / 5) + number(day, 8, 10)
  return days - DAYS_BEFORE_1970
}

function number(text: string, from: number, to: number): number {
  let value = 0
  for (let at = from; at < to; at++) value = 10 * value + text.charCodeAt(at) - ZERO
  return value
}

/** The UTC day `YYYY-MM-DD` so many days after 1970 began; toISOString takes four times as long. */
export function dayOf(days: number): string {
  const date = new Date(days * DAY_MS)
  const [month, day] = [date.getUTCMonth() + 1, date.getUTCDate()]
  return `${date.getUTCFullYear()}-${month < 10 ? 0 : ''}${month}-${day < 10 ? 0 : ''}${day}`
}
