import { setTimeout as sleep } from 'node:timers/promises'
import { DAY_MS, endOfDay, HOUR_MS, MINUTE_MS, utcDay } from '../../src/lib/time.ts'

/** The time `ms` after another time. */
export const plus = (ms: number, from = new Date()) => new Date(from.getTime() + ms)

/**
 * Noon of yesterday, and the midnight after it, for tests whose time of day matters. What is stored at a fixed date is at
 * some time so old that the jobs that other tests run delete it; idempotency keys after 48 hours.
 */
export const NOON = new Date(`${utcDay(plus(-DAY_MS))}T12:00:00Z`)
export const MIDNIGHT = plus(12 * HOUR_MS, NOON)

/** Waits for the next UTC day if less than two minutes are left, for tests in real time that the end of a day would change. */
export async function awayFromMidnight(): Promise<void> {
  const leftMs = endOfDay(new Date()).getTime() - Date.now()
  if (leftMs < 2 * MINUTE_MS) await sleep(leftMs)
}
