import { z } from '@hono/zod-openapi'
import { endpoint, json, router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { count, idParam } from '../wire/fields.ts'
import { pageQuery, paginate } from '../wire/page.ts'
import { notification, notificationPage } from './schema.ts'
import { listNotifications, READ_MAX, readAll, readOne } from './store.ts'

const getNotifications = endpoint({
  method: 'get',
  path: '/operators/me/notifications',
  operationId: 'listNotifications',
  tag: 'Notifications',
  access: { by: 'session', limit: 'session' },
  summary: "The operator's notifications, newest first",
  request: { query: z.object(pageQuery) },
  responses: { 200: json(notificationPage, 'A page of notifications') },
  errors: [],
})

const postReadAll = endpoint({
  method: 'post',
  path: '/operators/me/notifications/read-all',
  operationId: 'readAllNotifications',
  tag: 'Notifications',
  access: { by: 'session', limit: 'session' },
  summary: 'Mark all notifications as read',
  request: {},
  responses: { 200: json(z.object({ read_count: count(3) }), 'How many were unread') },
  errors: [],
})

const postRead = endpoint({
  method: 'post',
  path: '/operators/me/notifications/{id}/read',
  operationId: 'readNotification',
  tag: 'Notifications',
  access: { by: 'session', limit: 'session' },
  summary: 'Mark a notification as read; a second time changes nothing',
  request: { params: idParam('id', 'the notification') },
  responses: { 200: json(notification, 'The notification, read') },
  errors: ['NOT_FOUND'],
})

export const notificationRoutes = router()
  .openapi(getNotifications, async (c) => {
    const page = c.req.valid('query')
    const { operator_id } = requireCaller(c)
    const { data, total, unread_count } = await listNotifications(c.get('db'), operator_id, page)
    return c.json({ data, pagination: paginate(c, page, total), unread_count }, 200)
  })
  .openapi(postReadAll, async (c) => {
    const { operator_id } = requireCaller(c)
    let read_count = 0
    for (let read = READ_MAX; read === READ_MAX; read_count += read) {
      read = await readAll(c.get('db'), operator_id, c.get('now')())
    }
    return c.json({ read_count }, 200)
  })
  .openapi(postRead, async (c) => {
    const { id } = c.req.valid('param')
    const read = await readOne(c.get('db'), requireCaller(c).operator_id, id, c.get('now')())
    if (!read) throw new ApiError('NOT_FOUND', `you have no notification ${id}`)
    return c.json(read, 200)
  })
