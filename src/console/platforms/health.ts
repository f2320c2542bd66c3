import { toMinute } from '../../pages/html.ts'
import { UNRESERVED_PER_DAY } from '../../webhooks/outbox/audience-store.ts'
import {
  ATTEMPTS_WITHOUT_RESPONSE_MAX,
  DISABLE_AFTER_FAILURES,
  DISABLE_AFTER_HOURS,
} from '../../webhooks/relay/limits.ts'

interface Webhook {
  status: string
  webhook_url: string | null
  webhook_status: string
  consecutive_failures: number
  failing_since: string | null
  attempts_without_response: number
  webhook_paused_until: string | null
  is_retrying: boolean
}

/** What is wrong with a platform's webhook; null if it works, or has not been used yet. */
type Trouble = { kind: 'no_url' | 'disabled' | 'paused' | 'failing'; message: string } | null

/** Why a webhook sends nothing, or is about to be disabled. */
export function troubleOf(webhook: Webhook): Trouble {
  const {
    status,
    webhook_url,
    webhook_status,
    consecutive_failures,
    failing_since,
    attempts_without_response,
  } = webhook
  if (status === 'retired') return null
  if (!webhook_url) return { kind: 'no_url', message: 'Without a webhook URL, no events are sent.' }
  const since = failing_since ? ` since ${toMinute(failing_since)} UTC` : ''
  const neverResponded = attempts_without_response >= ATTEMPTS_WITHOUT_RESPONSE_MAX
  if (webhook_status === 'disabled') {
    const why = neverResponded
      ? `none of the last ${attempts_without_response} attempts returned status 2xx`
      : consecutive_failures >= DISABLE_AFTER_FAILURES
        ? `${consecutive_failures} deliveries in a row have failed${since}`
        : 'the receiver returned status 410'
    return { kind: 'disabled', message: `The webhook is disabled: ${why}.` }
  }
  if (webhook.webhook_paused_until) {
    const why = `your platforms have made ${UNRESERVED_PER_DAY} attempts today to URLs that have never returned status 2xx`
    return {
      kind: 'paused',
      message: `Events are skipped until 00:00 UTC: ${why}, like the URL of this one.`,
    }
  }
  if (attempts_without_response > 0) {
    const ends = `from ${ATTEMPTS_WITHOUT_RESPONSE_MAX} such attempts on, the webhook is disabled`
    return {
      kind: 'failing',
      message: `None of the last ${attempts_without_response} attempts returned status 2xx; ${ends}.`,
    }
  }
  if (consecutive_failures === 0) {
    return webhook.is_retrying
      ? { kind: 'failing', message: 'The last attempt of a delivery failed; it is being retried.' }
      : null
  }
  const failed =
    consecutive_failures === 1
      ? '1 delivery has failed'
      : `${consecutive_failures} deliveries in a row have failed`
  const ends = `after ${DISABLE_AFTER_FAILURES} failures in a row over at least ${DISABLE_AFTER_HOURS} hours, the webhook is disabled`
  return { kind: 'failing', message: `${failed}${since}; ${ends}.` }
}
