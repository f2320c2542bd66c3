import { DELIVERY_STATUSES, EVENT_TYPES } from '../../db/enums.ts'
import type { Ctx } from '../../http/context.ts'
import { asOptions, filtersOf, NO_PROBLEMS, problemNote } from '../../pages/field.ts'
import { type Html, html } from '../../pages/html.ts'
import { pager } from '../../pages/pager.ts'
import { parseQuery } from '../../pages/respond.ts'
import { type DeliveryQuery, deliveryQuery } from '../../webhooks/manage/schema.ts'
import { withoutEmpty } from '../../wire/query.ts'
import { attempt } from '../attempt.ts'
import { empty, live } from '../frame.ts'
import { consolePages } from '../router.ts'
import { attemptSummary, deliveryTable } from './delivery-table.ts'
import {
  PLATFORM,
  pathOf,
  platformOf,
  readPlatform,
  readPlatformAnd,
  type ShownPlatform,
  showTab,
} from './frame.ts'
import { requireListed, sumUpAttempts } from './store.ts'

const FILTERS = ['status', 'type', 'reg', 'from'] as const

/** The deliveries to a platform, with filters in the query string. */
export const platformDeliveriesPages = consolePages().page(`${PLATFORM}/deliveries`, async (c) => {
  const given = withoutEmpty(c.req.query())
  const parsed = await attempt(FILTERS, async () => parseQuery(c, deliveryQuery))
  if (!parsed.ok) {
    const platform = await readPlatform(c)
    return showTab(c, platform, '/deliveries', frame(platform, given, parsed.problems), parsed)
  }
  const query = parsed.value
  const [db, own] = [c.get('db'), platformOf(c)]
  const [platform, [list, summary]] = await readPlatformAnd(
    c,
    Promise.all([requireListed(db, own, query), sumUpAttempts(db, own, c.get('now')())]),
  )
  return showTab(
    c,
    platform,
    '/deliveries',
    html`${frame(platform, given)}${live(html`${attemptSummary(summary)}${listOf(c, platform, query, list)}`, true)}`,
  )
})

function frame(platform: ShownPlatform, given: Record<string, string>, problems = NO_PROBLEMS): Html {
  const at = pathOf(platform, '/deliveries')
  const isFiltered = FILTERS.some((name) => given[name])
  const { text, choice } = filtersOf(given, problems)
  return html`<div class="split"><h2>Deliveries</h2>${platform.status === 'active' && html`<a class="button" href="${pathOf(platform, '/recover')}">Recover…</a>`}</div>
<details${isFiltered && html` open`}><summary>Filter</summary>${problemNote(problems)}<form method="get" action="${at}"><div class="fields">
${choice('status', 'State', 'Any state', asOptions(DELIVERY_STATUSES))}
${choice('type', 'Event type', 'Any type', asOptions(EVENT_TYPES))}
${text('reg', 'Agent number')}
${text('from', 'Since (UTC)', { type: 'date' })}</div>
<div class="row"><button class="light">Filter</button>${isFiltered && html`<a href="${at}">Clear filters</a>`}</div></form></details>`
}

function listOf(
  c: Ctx,
  platform: ShownPlatform,
  query: DeliveryQuery,
  { data, total }: Awaited<ReturnType<typeof requireListed>>,
): Html {
  if (total > 0) return html`${deliveryTable(c, platform, data)}${pager(c, query, total)}`
  const isFiltered = FILTERS.some((name) => query[name] !== undefined)
  return isFiltered
    ? empty('No delivery matches', html`Deliveries are kept for 30 days.`)
    : empty(
        'No deliveries yet',
        html`Deliveries of events about the agents on this platform appear here. <a href="${pathOf(platform)}">Send a test event</a> to try your endpoint.`,
      )
}
