import { requireCaller } from '../../credentials/authorize.ts'
import { day, type Html, html, scrolling } from '../../pages/html.ts'
import { pager } from '../../pages/pager.ts'
import { parseQuery } from '../../pages/respond.ts'
import { listPlatforms } from '../../platforms/store.ts'
import { pagesOnly } from '../../wire/page.ts'
import { empty } from '../frame.ts'
import { consolePages } from '../router.ts'
import { show } from '../shell.ts'
import { PLATFORMS, pathOf, platformState, type ShownPlatform } from './frame.ts'
import { listRetrying } from './store.ts'

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
        : html`<div class="split"><h1>Platforms</h1>${add}</div>${table(shown)}${pager(c, page, total)}`,
  })
})

function table(platforms: readonly ShownPlatform[]): Html {
  return scrolling(
    'Platforms',
    html`<table><thead><tr><th scope="col">Platform</th><th scope="col">State</th><th scope="col">Webhook URL</th><th scope="col">Registered</th></tr></thead>
<tbody>${platforms.map(
      (
        platform,
      ) => html`<tr><th scope="row" class="name"><a href="${pathOf(platform)}"><bdi>${platform.name}</bdi></a><br><span class="hint number">${platform.slug}</span></th>
<td>${platformState(platform)}</td>
<td class="cut">${platform.webhook_url ?? '–'}</td><td class="one">${day(platform.created_at)}</td></tr>`,
    )}</tbody></table>`,
  )
}
