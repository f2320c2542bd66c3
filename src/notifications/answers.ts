import * as z from 'zod'
import { type Answers, json } from '../api/answers.ts'
import { NOTIFICATION_TYPES } from '../db/enums.ts'
import { count, pagination, recordId, regNumber, timestamp } from '../wire/answers.ts'

/** A notification of an operator. */
export const notification = z
  .object({
    id: recordId,
    type: z.enum(NOTIFICATION_TYPES),
    title: z.string().meta({ example: 'Trust score fell from 78.4 to 71.2' }),
    body: z.string().meta({
      example: 'Invoice Reader (REG-2026-0001-0042-U) was at 78.4 on 2026-11-20, and at 71.2 on 2026-11-21.',
    }),
    reg: regNumber.nullable(),
    read_at: timestamp.nullable().meta({ example: null }),
    created_at: timestamp,
  })
  .meta({ id: 'Notification' })

/** The answer to GET /operators/me/notifications. */
const notificationPage = z
  .object({ data: z.array(notification), pagination, unread_count: count(1) })
  .meta({ id: 'NotificationPage' })

/** What the document says of these routes, and what they answer. */
export const answers = {
  listNotifications: {
    tag: 'Notifications',
    summary: "List the operator's notifications, newest first",
    responses: { 200: json(notificationPage, 'A page of notifications') },
  },
  readAllNotifications: {
    tag: 'Notifications',
    summary: 'Mark all notifications as read',
    responses: { 200: json(z.object({ read_count: count(3) }), 'Number of notifications that were unread') },
  },
  readNotification: {
    tag: 'Notifications',
    summary: 'Mark a notification as read',
    responses: { 200: json(notification, 'The notification, read') },
    errors: ['NOT_FOUND'],
  },
} satisfies Answers
