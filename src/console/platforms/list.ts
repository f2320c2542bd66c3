import { requireCaller } from '../../credentials/authorize.ts'
import { day, type Html, html } from '../../pages/html.ts'
import { pager } from '../../pages/pager.ts'
import { parseQuery } from '../../pages/respond.ts'
import { table } from '../../pages/table.ts'
import { listPlatforms } from '../../platforms/store.ts'
import { pagesOnly } from '../../wire/page.ts'
import { empty } from '../frame.ts'
import { consolePages } from '../router.ts'
import { show } from '../shell.ts'
import { PLATFORMS, pathOf, platformState, type ShownPlatform } from './frame.ts'
import { listRetrying } from './store.ts'

const COLUMNS = 'Platform | State | Webhook URL | Registered'

export const platformListPages = consolePages().page(PLATFORMS, async (c) => {
  const page = parseQuery(c, pagesOnly)
  const [db, { operator_id }] = [c.get('db'), requireCaller(c)]
  const [{ data, total }, retrying] = await Promise.all([
    listPlatforms(db, operator_id, page, c.get('now')()),
    listRetrying(db, operator_id),
  ])
  const shown = data.map((platform) => ({ ...platform, is_retrying: retrying.has(platform.slug) }))
  const add = html`<a class="button first" href="${PLATFORMS}/new">Register a platform</a>`
  return show(c, {
    title: 'Platforms',
    main:
      total === 0
        ? html`<h1>Platforms</h1>${empty(
            'No platforms yet',
            html`A platform is a marketplace or product on which agents work. It receives signed webhooks about its agents, and reports what they do with its own API keys.`,
            add,
          )}`
        : html`<div class="split"><h1>Platforms</h1>${add}</div>${table('Platforms', COLUMNS, shown.map(row))}${pager(c, page, total)}`,
  })
})

function row(platform: ShownPlatform): Html {
  const { name, slug, webhook_url, created_at } = platform
  return html`<tr><th scope="row"><a href="${pathOf(platform)}"><bdi>${name}</bdi></a><br><span class="hint number">${slug}</span></th>
<td>${platformState(platform)}</td>
<td class="cut">${webhook_url ?? '–'}</td><td class="one">${day(created_at)}</td></tr>`
}
