const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}
const PART = /(\d+(?:\.\d+)?)(s|m|h|d)/g
const WHOLE = new RegExp(`^(?:${PART.source})+$`)
const NUMBER = /^\d+(?:\.\d+)?$/
const HTTP_DATE = /^[A-Z][a-z]{2,8},? .+GMT$/
const DAY_SECONDS = 86_400
const HINT_HEADERS = ['retry-after', 'x-ratelimit-reset']

/**
 * Milliseconds of a duration such as `30s`, `6m5s` or `1d`; null for anything else.
 *
 * Source: QStash documentation, "Delay" and "Retry".
 */
export function parseDuration(text: string): number | null {
  if (!WHOLE.test(text)) return null
  let total = 0
  for (const [, count = '', unit = ''] of text.matchAll(PART)) total += Number(count) * (UNIT_MS[unit] ?? 0)
  return Math.round(total)
}

/**
 * Milliseconds before the n-th retry (n from 1) if the response has no retry header.
 *
 * Source: QStash documentation, "Retry": 12 s, 2 min 28 s, 30 min 8 s, 6 h 7 min 6 s, then a day.
 */
export function backoffMs(retry: number): number {
  return Math.floor(Math.min(DAY_SECONDS, Math.exp(2.5 * retry))) * 1000
}

/**
 * Milliseconds to wait before the next attempt, from the headers of a response: seconds, an HTTP date or a duration.
 *
 * @param headers response headers, names in lower case
 * @param now the current time, ms
 * @returns null without such a header, or if its value is invalid or longer than a day
 *
 * Source: QStash documentation, "Retry-After Headers".
 */
export function retryHintMs(headers: Readonly<Record<string, string[]>>, now: number): number | null {
  for (const name of HINT_HEADERS) {
    const value = headers[name]?.[0]?.trim()
    if (value === undefined) continue
    const wait = hintMs(value, now)
    if (wait !== null && wait <= DAY_SECONDS * 1000) return Math.max(0, wait)
  }
  return null
}

function hintMs(value: string, now: number): number | null {
  if (NUMBER.test(value)) return Number(value) * 1000
  if (HTTP_DATE.test(value) && !Number.isNaN(Date.parse(value))) return Date.parse(value) - now
  return parseDuration(value)
}
