import { nextAttemptAt } from '../../api/relay.ts'

/** What came of an attempt; without a status it never came to a response, and `error` says why. */
export interface Outcome {
  duration_ms: number | null
  response_status: number | null
  error: string | null
  response_excerpt: string | null
}

/** What an outcome makes of its delivery, and of its platform's webhook. */
export interface Verdict {
  status: 'delivered' | 'pending' | 'failed'
  /** When the next attempt is due; null when there is none. */
  due: Date | null
  /**
   * What the platform's row records: the receiver responded with success, an attempt failed, a delivery failed, the receiver is gone for good,
   * or nothing.
   */
  platform: 'succeeded' | 'unanswered' | 'failed' | 'gone' | null
}

const GONE = 410

/** Errors that are our own doing: they fail an attempt, and are never held against the platform. */
export const OUR_ERRORS = {
  crashed: 'outcome unknown',
  sealed: 'webhook secret cannot be decrypted',
} as const

const OURS: ReadonlySet<string | null> = new Set(Object.values(OUR_ERRORS))

/**
 * Judges an attempt: 2xx within the time is a success; 410 ends the delivery at once; anything else is tried again
 * until the last attempt. Only a delivery that has failed for good counts against a platform that has responded before.
 *
 * @param attempt its number, from 1
 * @param startedAt when it started: the next is counted from there
 *
 * Source: interface, section 6.4.
 */
export function judge(outcome: Outcome, attempt: number, startedAt: Date): Verdict {
  const { response_status: status, error } = outcome
  if (error === null && status !== null && status >= 200 && status < 300) {
    return { status: 'delivered', due: null, platform: 'succeeded' }
  }
  if (status === GONE) return { status: 'failed', due: null, platform: 'gone' }
  const due = nextAttemptAt(attempt, startedAt)
  const isOurs = OURS.has(error)
  if (due) return { status: 'pending', due, platform: isOurs ? null : 'unanswered' }
  return { status: 'failed', due: null, platform: isOurs ? null : 'failed' }
}
