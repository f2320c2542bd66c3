import type { Ctx } from '../../http/context.ts'
import { type Html, html, toMinute } from '../../pages/html.ts'
import { UNRESERVED_PER_DAY } from '../../webhooks/outbox/unresponsive-store.ts'
import { DISABLE_AFTER } from '../../webhooks/relay/limits.ts'
import { button } from '../shell.ts'
import { pathOf, type ShownPlatform } from './frame.ts'

/** Why a webhook sends nothing, or is about to be disabled, and what to do; empty if it works or has not been used yet. */
export function troubleNote(c: Ctx, platform: ShownPlatform): Html | '' {
  const at = (below: string) => pathOf(platform, below)
  if (platform.status === 'retired') return ''
  if (!platform.webhook_url)
    return html`<div class="note"><p>Without a webhook URL, no events are sent. <a href="${at('/settings')}">Add a webhook URL</a></p></div>`
  const recover = html`<a href="${at('/recover')}">recover the skipped events</a>`
  if (platform.webhook_status === 'disabled')
    return html`<div class="note bad"><p>The webhook is disabled: ${disabledBy(platform)}. Events are skipped until it is enabled. Enable it once your endpoint works, then ${recover}.</p>
${button(c, at('/enable'), 'Enable webhook', 'first')}</div>`
  if (platform.webhook_paused_until)
    return html`<div class="note warn"><p>Events are skipped until 00:00 UTC: your platforms have made ${UNRESERVED_PER_DAY} attempts today to URLs that have never returned status 2xx, like the URL of this one. Once your endpoint works, send it a test event below: when it returns 2xx, events are sent again, and you can ${recover}.</p></div>`
  const failure = failureOf(platform)
  return (
    failure &&
    html`<div class="note warn"><p>${failure} <a href="${at('/deliveries?status=failed')}">Failed deliveries</a></p></div>`
  )
}

function disabledBy(platform: ShownPlatform): string {
  const { consecutive_failures, attempts_without_response } = platform
  if (attempts_without_response >= DISABLE_AFTER.silent_max)
    return `none of the last ${attempts_without_response} attempts returned status 2xx`
  return consecutive_failures >= DISABLE_AFTER.failures_max
    ? `${consecutive_failures} deliveries in a row have failed${since(platform)}`
    : 'the receiver returned status 410'
}

function failureOf(platform: ShownPlatform): string {
  const { consecutive_failures, attempts_without_response, is_retrying } = platform
  if (attempts_without_response > 0)
    return `None of the last ${attempts_without_response} attempts returned status 2xx; from ${DISABLE_AFTER.silent_max} such attempts on, the webhook is disabled.`
  if (consecutive_failures === 0)
    return is_retrying ? 'The last attempt of a delivery failed; it is being retried.' : ''
  const failed =
    consecutive_failures === 1
      ? '1 delivery has failed'
      : `${consecutive_failures} deliveries in a row have failed`
  return `${failed}${since(platform)}; after ${DISABLE_AFTER.failures_max} failures in a row over at least ${DISABLE_AFTER.failing_hours} hours, the webhook is disabled.`
}

const since = ({ failing_since }: ShownPlatform) =>
  failing_since ? ` since ${toMinute(failing_since)} UTC` : ''
