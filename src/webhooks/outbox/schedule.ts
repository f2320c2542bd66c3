/** Seconds from the start of attempt n to attempt n + 1: 1 min, 5 min, 30 min, 2 h (interface, section 6.4). */
export const RETRY_DELAY_SECONDS = [60, 300, 1_800, 7_200] as const

export const ATTEMPTS_MAX = RETRY_DELAY_SECONDS.length + 1

/** How long a receiver has to answer (interface, section 6.4). */
export const RECEIVER_TIMEOUT_MS = 30_000

/** A webhook is disabled when so many deliveries have failed in a row, the first of them so long ago. */
export const DISABLE_AFTER_FAILURES = 10
export const DISABLE_AFTER_HOURS = 24

/** So is one whose URL has never answered 2xx, after so many attempts of whatever deliveries. */
export const DISABLE_AFTER_UNANSWERED = 50

/** How long a claimed attempt belongs to the Worker that claimed it: the receiver's time-out and our own work. */
export const LEASE_MS = 45_000

/**
 * When the attempt after this one is due; null after the last.
 *
 * @param attempt number of the attempt that failed, from 1
 * @param startedAt when it started: a slow receiver does not shift the schedule
 */
export function nextAttemptAt(attempt: number, startedAt: Date): Date | null {
  const seconds = RETRY_DELAY_SECONDS[attempt - 1]
  return seconds === undefined ? null : new Date(startedAt.getTime() + seconds * 1000)
}

/** Whole seconds from now until a time, rounded up so that nothing starts early; 0 when it has passed. */
export function secondsUntil(due: Date, now: Date): number {
  return Math.max(0, Math.ceil((due.getTime() - now.getTime()) / 1000))
}
