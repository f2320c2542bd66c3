import * as z from 'zod'
import { describeRoutes, json } from '../api/responses.ts'
import { NOTIFICATION_TYPES } from '../db/enums.ts'
import { count, itemsOf, pagination, recordId, regNumber, timeOrNull, timestamp } from '../wire/responses.ts'

export const notification = z
  .object({
    id: recordId,
    type: z.enum(NOTIFICATION_TYPES).meta({ description: 'Type of the notification; types may be added' }),
    title: z
      .string()
      .meta({ description: 'Title, in one line', example: 'Trust score fell from 78.4 to 71.2' }),
    body: z.string().meta({
      description: 'Full text',
      example: 'Invoice Reader (REG-2026-0001-0042-U) was at 78.4 on 2026-11-20, and at 71.2 on 2026-11-21.',
    }),
    reg: regNumber.nullable().meta({ description: 'Agent that the notification is about; null if none' }),
    read_at: timeOrNull('Time at which it was marked as read; null if unread', null),
    created_at: timestamp.meta({ description: 'Time of creation' }),
  })
  .meta({ id: 'Notification', description: 'Notification of an operator' })

const notificationPage = z
  .object({
    data: itemsOf(notification),
    pagination,
    unread_count: count(1, 'Number of unread notifications on all pages'),
  })
  .meta({ id: 'NotificationPage', description: 'Page of notifications' })

const notificationsRead = z
  .object({ read_count: count(3, 'Number of notifications marked as read by this request') })
  .meta({ id: 'NotificationsRead', description: 'Result of marking notifications as read' })

export const responses = describeRoutes('Notifications', {
  listNotifications: {
    summary: "List the operator's notifications, newest first",
    description:
      'Of the settings of the operator, `notification_prefs` controls which notifications are created, and `mail_opt_outs` which of them are not sent by email.',
    responses: { 200: json(notificationPage, 'A page of notifications') },
  },
  readAllNotifications: {
    summary: 'Mark all notifications as read',
    description: 'Notifications created while the request is processed may stay unread.',
    responses: { 200: json(notificationsRead, 'Number of notifications that were unread') },
  },
  readNotification: {
    summary: 'Mark a notification as read',
    description: 'Repeating the call changes nothing: `read_at` remains the time of the first call.',
    responses: { 200: json(notification, 'The notification, with `read_at` set') },
    errors: ['NOT_FOUND'],
  },
})
