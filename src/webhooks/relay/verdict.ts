import { nextAttemptAt } from '../schedule.ts'

/** The outcome of an attempt; `error` states why there was no complete response, without a status none at all. */
export interface Outcome {
  duration_ms: number | null
  response_status: number | null
  error: string | null
  response_excerpt: string | null
}

/** The consequences of an outcome for its delivery and for the platform's webhook. */
interface Verdict {
  status: 'delivered' | 'pending' | 'failed'
  /** When the next attempt is due; null if there is none. */
  due: Date | null
  /**
   * What is recorded for the platform: the receiver responded with 2xx, an attempt failed, a delivery failed, or the
   * receiver responded 410 Gone; null for nothing.
   */
  platform: 'succeeded' | 'retrying' | 'failed' | 'gone' | null
}

const GONE = 410

/** Errors on our side: they fail an attempt, but never count against the platform. */
export const OUR_ERRORS = {
  crashed: 'outcome unknown',
  sealed: 'webhook secret cannot be decrypted',
} as const

const OURS: ReadonlySet<string | null> = new Set(Object.values(OUR_ERRORS))

/**
 * Judges an attempt: 2xx within the timeout is a success; 410 ends the delivery; anything else is retried until the last
 * attempt. Against a platform that has responded before, only a delivery whose last attempt failed counts.
 *
 * @param attempt number of the attempt, from 1
 * @param startedAt start of the attempt, from which the delay of the next one is counted
 *
 * Source: docs/use/webhooks.md, "Retries".
 */
export function judge(outcome: Outcome, attempt: number, startedAt: Date): Verdict {
  const { response_status: status, error } = outcome
  if (error === null && status !== null && status >= 200 && status < 300) {
    return { status: 'delivered', due: null, platform: 'succeeded' }
  }
  if (status === GONE) return { status: 'failed', due: null, platform: 'gone' }
  const due = nextAttemptAt(attempt, startedAt)
  const isOurs = OURS.has(error)
  if (due) return { status: 'pending', due, platform: isOurs ? null : 'retrying' }
  return { status: 'failed', due: null, platform: isOurs ? null : 'failed' }
}
