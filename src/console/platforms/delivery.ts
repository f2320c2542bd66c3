import type { Ctx } from '../../http/context.ts'
import { count, factList, type Html, html, minute } from '../../pages/html.ts'
import { parse } from '../../pages/respond.ts'
import { redeliverEvent, requireDelivery, retryDelivery } from '../../webhooks/manage/actions.ts'
import type { DeliveryDetail } from '../../webhooks/manage/responses.ts'
import { ATTEMPTS_MAX } from '../../webhooks/schedule.ts'
import { idParam } from '../../wire/fields.ts'
import { live } from '../frame.ts'
import { done } from '../notice.ts'
import { consolePages } from '../router.ts'
import { deliveryState, outcomeOf, sendAgain } from './delivery-table.ts'
import { PLATFORM, pathOf, platformOf, readPlatformAnd, type ShownPlatform, showBelow } from './frame.ts'

const ONE = `${PLATFORM}/deliveries/:id`
const deliveryParam = idParam('id', 'the delivery')
const idOf = (c: Ctx) => parse(deliveryParam, c.req.param()).id

/** One delivery: its payload, and the outcome of each attempt. */
export const platformDeliveryPages = consolePages()
  .page(ONE, async (c) => {
    const [platform, delivery] = await readPlatformAnd(
      c,
      requireDelivery(c.get('db'), platformOf(c), idOf(c)),
    )
    return showBelow(c, platform, {
      title: `Delivery of ${delivery.type}`,
      trail: [[pathOf(platform, '/deliveries'), 'Deliveries']],
      main: html`${live(
        html`${facts(delivery, c.get('now')())}${actions(c, platform, delivery)}
<h2>Attempts</h2>${
          delivery.attempt_log.length === 0
            ? html`<p class="quiet">${delivery.status === 'pending' ? 'None yet.' : 'None.'}</p>`
            : html`<ol class="stack">${delivery.attempt_log.map(attempt)}</ol>`
        }`,
        delivery.status === 'pending',
      )}
<h2>Payload</h2><pre tabindex="0" aria-label="Payload">${JSON.stringify(delivery.payload, null, 2)}</pre>`,
    })
  })
  .action(`${ONE}/redeliver`, async (c) => {
    const platform = platformOf(c)
    const { id } = await redeliverEvent(c, platform, idOf(c))
    return done(c, pathOf(platform, `/deliveries/${id}`), 'event-redelivered')
  })
  .action(`${ONE}/retry-now`, async (c) => {
    const platform = platformOf(c)
    const { id } = await retryDelivery(c, platform, idOf(c))
    return done(c, pathOf(platform, `/deliveries/${id}`), 'delivery-retried')
  })

function facts(delivery: DeliveryDetail, now: Date): Html {
  const { status, event_id, created_at, attempts, delivered_at, attempt_log, next_attempt_at } = delivery
  const wasTried = attempt_log.some(({ duration_ms }) => duration_ms !== null)
  const isDue = next_attempt_at !== null && next_attempt_at <= now.toISOString()
  return factList([
    ['State', deliveryState(status, wasTried)],
    ['Event', html`<span class="mono">${event_id}</span>`],
    ['Created', minute(created_at)],
    ['Attempts', `${attempts} of ${ATTEMPTS_MAX}`],
    ['Delivered', delivered_at && minute(delivered_at)],
    ['Next attempt', isDue ? 'now' : next_attempt_at && minute(next_attempt_at)],
  ])
}

function actions(c: Ctx, platform: ShownPlatform, delivery: DeliveryDetail): Html {
  if (platform.status === 'retired')
    return html`<p class="quiet">The platform is retired: nothing more is sent to it.</p>`
  if (!platform.webhook_url || platform.webhook_status === 'disabled') {
    const why = platform.webhook_url ? 'The webhook is disabled' : 'There is no webhook URL'
    return html`<div class="note warn"><p>${why}: nothing can be sent. <a href="${pathOf(platform)}">See why</a></p></div>`
  }
  return html`<p>${sendAgain(c, platform, delivery, 'first')}</p>`
}

function attempt(one: DeliveryDetail['attempt_log'][number]): Html {
  const { number, started_at, duration_ms, response_status: status, error, response_excerpt: excerpt } = one
  const isOver = error !== null || status !== null
  const outcome = isOver ? outcomeOf(one) : html`<span class="quiet">in progress</span>`
  return html`<li class="card"><div class="row"><h3>Attempt ${number}: ${outcome}</h3><span class="quiet">${minute(started_at)}${duration_ms !== null && ` · ${count(duration_ms)} ms`}</span></div>
${excerpt ? html`<pre tabindex="0" aria-label="Response to attempt ${number}">${excerpt}</pre>` : isOver && html`<p class="quiet">No response body.</p>`}</li>`
}
