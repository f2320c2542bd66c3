import { requireCaller } from '../credentials/authorize.ts'
import type { Ctx } from '../http/context.ts'
import { markAllRead, markRead } from '../notifications/mark.ts'
import { listNotifications } from '../notifications/store.ts'
import { counted, html, unbroken, when } from '../pages/html.ts'
import { pager } from '../pages/pager.ts'
import { parse, parseQuery } from '../pages/respond.ts'
import { idParam } from '../wire/fields.ts'
import { pagesOnly } from '../wire/page.ts'
import { empty } from './frame.ts'
import { done } from './notice.ts'
import { consolePages } from './router.ts'
import { button, show } from './shell.ts'

const PATH = '/console/notifications'
const notificationParam = idParam('id', 'the notification')

type Notification = Awaited<ReturnType<typeof listNotifications>>['data'][number]

export const notificationPages = consolePages()
  .page(PATH, async (c) => {
    const page = parseQuery(c, pagesOnly)
    const { operator_id } = requireCaller(c)
    const { data, total, unread_count: unread } = await listNotifications(c.get('db'), operator_id, page)
    if (total === 0) {
      const advice = html`Falling scores, incidents, disabled webhooks, and domains that are no longer verified appear here. <a href="/console/account">Choose your notifications</a>`
      return show(c, {
        title: 'Notifications',
        main: html`<h1>Notifications</h1>${empty('Nothing yet', advice)}`,
      })
    }
    return show(c, {
      title: unread > 0 ? `Notifications (${unread})` : 'Notifications',
      main: html`<div class="split"><h1>Notifications</h1>${unread > 0 && button(c, `${PATH}/read-all`, 'Mark all as read')}</div>
<p class="quiet">${unread > 0 ? `${counted(unread, 'notification')} unread` : 'All read'}</p>
<ul class="stack">${data.map((one) => item(c, one))}</ul>${pager(c, page, total)}`,
    })
  })
  .action(`${PATH}/read-all`, async (c) => {
    const read = await markAllRead(c.get('db'), requireCaller(c).operator_id, c.get('now')())
    return done(c, PATH, 'notifications-read', read)
  })
  .action(`${PATH}/:id/read`, async (c) => {
    const { id } = parse(notificationParam, c.req.param())
    await markRead(c.get('db'), requireCaller(c).operator_id, id, c.get('now')())
    return done(c, PATH)
  })

function item(c: Ctx, { id, title, body, reg, read_at, created_at }: Notification) {
  const isUnread = read_at === null
  return html`<li class="card${isUnread && ' unread'}"><div class="split"><h2>${isUnread && html`<span class="tag warn">New</span> `}<bdi>${unbroken(title)}</bdi></h2><span class="quiet">${when(created_at, c.get('now')())}</span></div>
<p>${unbroken(body)}</p>
<div class="row">${reg && html`<a href="/console/agents/${reg}">Agent <span class="number">${reg}</span></a>`}${isUnread && button(c, `${PATH}/${id}/read`, 'Mark as read')}</div></li>`
}
