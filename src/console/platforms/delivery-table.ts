import type { Ctx } from '../../http/context.ts'
import { count, counted, type Html, html, when } from '../../pages/html.ts'
import { bars } from '../../pages/sparkline.ts'
import { table } from '../../pages/table.ts'
import type { Delivery, DeliveryDetail } from '../../webhooks/manage/responses.ts'
import { stateTag, sumList } from '../frame.ts'
import { button } from '../shell.ts'
import { canSend, pathOf, type ShownPlatform } from './frame.ts'
import { type AttemptSummary, type ListedDelivery, SUMMARY_HOURS } from './store.ts'

type Attempt = DeliveryDetail['attempt_log'][number]

/** A table of deliveries with the outcome of the last attempt; each can be sent again. */
export function deliveryTable(c: Ctx, platform: ShownPlatform, deliveries: readonly ListedDelivery[]): Html {
  const now = c.get('now')()
  const rows = deliveries.map((one) => row(c, platform, one, now))
  const columns = 'State | Response | #ms | Event | Agent | Age'
  return table('Deliveries', canSend(platform) ? `${columns} | ` : columns, rows)
}

function row(c: Ctx, platform: ShownPlatform, one: ListedDelivery, now: Date): Html {
  const { id, type, status, reg, is_test, last, created_at } = one
  return html`<tr><td class="one">${deliveryState(status, last !== null)}</td>
<td class="one">${last ? outcomeOf(last) : html`<span class="quiet">${status === 'pending' ? 'none yet' : 'none'}</span>`}</td><td class="n">${last ? count(last.duration_ms) : '–'}</td>
<th scope="row" class="one"><a href="${pathOf(platform, `/deliveries/${id}`)}">${type}</a>${is_test && html` <span class="tag quiet">test</span>`}</th>
<td class="number">${reg && !is_test ? html`<a href="/agents/${reg}">${reg}</a>` : '–'}</td>
<td class="one">${when(created_at, now)}</td>${canSend(platform) && html`<td class="n">${sendAgain(c, platform, one)}</td>`}</tr>`
}

/**
 * The state of a delivery: failing from its first failed attempt on.
 *
 * @param wasTried whether an attempt has ended
 */
export function deliveryState(status: Delivery['status'], wasTried: boolean): Html {
  return stateTag(status === 'pending' && wasTried ? 'failing' : status)
}

/** The outcome of an attempt that has ended: the status of the response, and why none was accepted. */
export function outcomeOf({
  response_status: status,
  error,
}: Pick<Attempt, 'response_status' | 'error'>): Html {
  const isGood = error === null && status !== null && status >= 200 && status < 300
  const text = [status, error].filter((part) => part !== null).join(', ')
  return html`<span class="${isGood ? 'good' : 'bad'}">${isGood ? '✓' : '✗'} ${text}</span>`
}

/** The button that makes the next attempt of a delivery, or delivers its event again. */
export function sendAgain(c: Ctx, platform: ShownPlatform, { id, status }: Delivery, kind?: 'first') {
  const at = pathOf(platform, `/deliveries/${id}`)
  return status === 'pending'
    ? button(c, `${at}/retry-now`, 'Retry now', kind)
    : button(c, `${at}/redeliver`, 'Redeliver', kind)
}

/** The outcomes and the latency of the last 24 hours. */
export function attemptSummary({ hours, median_ms, slow_ms }: AttemptSummary): Html {
  const succeeded = hours.reduce((sum, [, good]) => sum + good, 0)
  const failed = hours.reduce((sum, [, , bad]) => sum + bad, 0)
  if (median_ms === null || slow_ms === null)
    return html`<p class="quiet">No attempts in the last ${SUMMARY_HOURS} hours.</p>`
  const sums = sumList([
    ['Succeeded', count(succeeded)],
    ['Failed', html`<span class="${failed > 0 ? 'bad' : ''}">${count(failed)}</span>`],
    ['Median', `${count(median_ms)} ms`],
    ['95% within', `${count(slow_ms)} ms`],
    [
      'By hour',
      bars(
        hours,
        SUMMARY_HOURS,
        `${counted(succeeded + failed, 'attempt')} in ${SUMMARY_HOURS} hours, ${count(failed)} failed`,
      ),
    ],
  ])
  return html`<p class="hint">Attempts of the last ${SUMMARY_HOURS} hours</p>${sums}`
}
