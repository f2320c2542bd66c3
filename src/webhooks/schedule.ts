/** Seconds from the start of attempt n to attempt n + 1: 1 min, 5 min, 30 min, 2 h (docs/use/webhooks.md, "Retries"). */
export const RETRY_DELAY_SECONDS = [60, 300, 1_800, 7_200] as const

export const ATTEMPTS_MAX = RETRY_DELAY_SECONDS.length + 1

/** How long an attempt belongs to the Worker that claimed it: 30 s for the receiver, and time for its own work. */
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
