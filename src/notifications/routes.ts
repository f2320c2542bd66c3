import { router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { idParam } from '../wire/fields.ts'
import { pagesOnly, paginate } from '../wire/page.ts'
import type { answers } from './answers.ts'
import { listNotifications, READ_MAX, readAll, readOne } from './store.ts'

export const notificationRoutes = router<typeof answers>()
  .endpoint(
    {
      operationId: 'listNotifications',
      method: 'get',
      path: '/operators/me/notifications',
      access: { by: 'session', limit: 'session' },
      request: { query: pagesOnly },
    },
    async (c) => {
      const page = c.req.valid('query')
      const { operator_id } = requireCaller(c)
      const { data, total, unread_count } = await listNotifications(c.get('db'), operator_id, page)
      return c.json({ data, pagination: paginate(c, page, total), unread_count }, 200)
    },
  )
  .endpoint(
    {
      operationId: 'readAllNotifications',
      method: 'post',
      path: '/operators/me/notifications/read-all',
      access: { by: 'session', limit: 'session' },
    },
    async (c) => {
      const { operator_id } = requireCaller(c)
      let read_count = 0
      for (let read = READ_MAX; read === READ_MAX; read_count += read) {
        read = await readAll(c.get('db'), operator_id, c.get('now')())
      }
      return c.json({ read_count }, 200)
    },
  )
  .endpoint(
    {
      operationId: 'readNotification',
      method: 'post',
      path: '/operators/me/notifications/{id}/read',
      access: { by: 'session', limit: 'session' },
      request: { params: idParam('id', 'the notification') },
    },
    async (c) => {
      const { id } = c.req.valid('param')
      const read = await readOne(c.get('db'), requireCaller(c).operator_id, id, c.get('now')())
      if (!read) throw new ApiError('NOT_FOUND', `you have no notification ${id}`)
      return c.json(read, 200)
    },
  )
