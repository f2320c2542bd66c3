import { type Html, html, minute, scrolling } from '../../pages/html.ts'
import type { Delivery } from '../../webhooks/manage/responses.ts'
import { ATTEMPTS_MAX } from '../../webhooks/schedule.ts'
import { live, stateTag } from '../frame.ts'
import { pathOf } from './frame.ts'

/** A table of deliveries, each with a link to its attempts. */
export function deliveryTable(platform: { slug: string }, deliveries: readonly Delivery[], now: Date): Html {
  const table = scrolling(
    'Deliveries',
    html`<table><thead><tr><th scope="col">State</th><th scope="col">Event</th><th scope="col">Created</th><th scope="col" class="n">Attempts</th><th scope="col">Next attempt</th></tr></thead>
<tbody>${deliveries.map(
      (one) => html`<tr><td>${stateTag(one.status)}</td>
<th scope="row"><a href="${pathOf(platform, `/deliveries/${one.id}`)}">${one.type}</a></th>
<td class="one">${minute(one.created_at)}</td><td class="n">${one.attempts} of ${ATTEMPTS_MAX}</td>
<td class="one">${nextAttempt(one, now)}</td></tr>`,
    )}</tbody></table>`,
  )
  return live(
    table,
    deliveries.some(({ status }) => status === 'pending'),
  )
}

/** When the next attempt of a delivery is due. */
export function nextAttempt(
  { next_attempt_at: next }: Pick<Delivery, 'next_attempt_at'>,
  now: Date,
): Html | string {
  if (!next) return '–'
  return next <= now.toISOString() ? 'now' : minute(next)
}
