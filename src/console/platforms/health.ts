import { toMinute } from '../../pages/html.ts'
import {
  DISABLE_AFTER_FAILURES,
  DISABLE_AFTER_HOURS,
  DISABLE_AFTER_UNANSWERED,
} from '../../webhooks/relay/limits.ts'

interface Webhook {
  status: string
  webhook_url: string | null
  webhook_status: string
  failed_in_row: number
  failing_since: string | null
  unanswered_attempts: number
}

/** What is wrong with a platform's webhook; null if it works, or has not been used yet. */
export type Trouble = { kind: 'no_url' | 'disabled' | 'failing'; message: string } | null

/** Why a webhook sends nothing, or is about to be disabled. */
export function troubleOf(webhook: Webhook): Trouble {
  const { status, webhook_url, webhook_status, failed_in_row, failing_since, unanswered_attempts } = webhook
  if (status === 'retired') return null
  if (!webhook_url) return { kind: 'no_url', message: 'Without a webhook URL, no events are sent.' }
  const since = failing_since ? ` since ${toMinute(failing_since)} UTC` : ''
  const isUnanswered = unanswered_attempts >= DISABLE_AFTER_UNANSWERED
  if (webhook_status === 'disabled') {
    const why = isUnanswered
      ? `the URL has never returned status 2xx, in ${unanswered_attempts} attempts`
      : failed_in_row >= DISABLE_AFTER_FAILURES
        ? `${failed_in_row} deliveries in a row have failed${since}`
        : 'the receiver returned status 410'
    return { kind: 'disabled', message: `The webhook is disabled: ${why}.` }
  }
  if (unanswered_attempts > 0) {
    const ends = `after ${DISABLE_AFTER_UNANSWERED} such attempts, the webhook is disabled`
    return {
      kind: 'failing',
      message: `The URL has not returned status 2xx yet, in ${unanswered_attempts} attempts; ${ends}.`,
    }
  }
  if (failed_in_row === 0) return null
  const failed =
    failed_in_row === 1 ? '1 delivery has failed' : `${failed_in_row} deliveries in a row have failed`
  const ends = `after ${DISABLE_AFTER_FAILURES} failures in a row over at least ${DISABLE_AFTER_HOURS} hours, the webhook is disabled`
  return { kind: 'failing', message: `${failed}${since}; ${ends}.` }
}
