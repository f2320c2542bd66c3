import { endpoint, router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import { idParam } from '../wire/fields.ts'
import { pagesOnly, paginate } from '../wire/page.ts'
import { markAllRead, markRead } from './mark.ts'
import { responses } from './responses.ts'
import { listNotifications } from './store.ts'

export const notificationRoutes = router()
  .openapi(
    endpoint({
      ...responses.listNotifications,
      method: 'get',
      path: '/operators/me/notifications',
      access: { by: 'session', limit: 'session' },
      request: { query: pagesOnly },
    }),
    async (c) => {
      const page = c.req.valid('query')
      const { operator_id } = requireCaller(c)
      const { data, total, unread_count } = await listNotifications(c.get('db'), operator_id, page)
      return c.json({ data, pagination: paginate(c, page, total), unread_count }, 200)
    },
  )
  .openapi(
    endpoint({
      ...responses.readAllNotifications,
      method: 'post',
      path: '/operators/me/notifications/read-all',
      access: { by: 'session', limit: 'session' },
    }),
    async (c) => {
      const read_count = await markAllRead(c.get('db'), requireCaller(c).operator_id, c.get('now')())
      return c.json({ read_count }, 200)
    },
  )
  .openapi(
    endpoint({
      ...responses.readNotification,
      method: 'post',
      path: '/operators/me/notifications/{id}/read',
      access: { by: 'session', limit: 'session' },
      request: { params: idParam('id', 'the notification') },
    }),
    async (c) => {
      const { id } = c.req.valid('param')
      return c.json(await markRead(c.get('db'), requireCaller(c).operator_id, id, c.get('now')()), 200)
    },
  )
