const SECONDS = /^\d+$/
const DAY_SECONDS = 86_400

/**
 * Milliseconds before the n-th retry (n from 1) if the response has no retry header.
 *
 * Source: QStash documentation, "Retry": 12 s, 2 min 28 s, 30 min 8 s, 6 h 7 min 6 s, then a day.
 */
export function backoffMs(retry: number): number {
  return Math.floor(Math.min(DAY_SECONDS, Math.exp(2.5 * retry))) * 1000
}

/**
 * Milliseconds to wait before the next attempt, from the header Retry-After of a response, in seconds. QStash also reads
 * other forms, which the registry does not send.
 *
 * @param headers response headers, names in lower case
 * @returns null without such a header, or if its value is invalid or longer than a day
 *
 * Source: QStash documentation, "Retry-After Headers".
 */
export function retryHintMs(headers: NodeJS.Dict<string[]>): number | null {
  const value = headers['retry-after']?.[0] ?? ''
  return SECONDS.test(value) && Number(value) <= DAY_SECONDS ? Number(value) * 1000 : null
}
