import { z } from '@hono/zod-openapi'
import { count, recordId, regNumber, timestamp } from '../wire/fields.ts'
import { pagination } from '../wire/page.ts'

/** A notification of an operator. */
export const notification = z
  .object({
    id: recordId,
    type: z.enum([
      'trust_alert',
      'incident_alert',
      'weekly_digest',
      'kyc_reminder',
      'webhook_disabled',
      'ownership_lost',
    ]),
    title: z.string().openapi({ example: 'Trust score fell to 71.2' }),
    body: z.string().openapi({ example: 'Invoice Reader was at 78.4 yesterday.' }),
    reg: regNumber.nullable(),
    read_at: timestamp.nullable().openapi({ example: null }),
    created_at: timestamp,
  })
  .openapi('Notification')

/** The answer to GET /operators/me/notifications. */
export const notificationPage = z
  .object({ data: z.array(notification), pagination, unread_count: count(1) })
  .openapi('NotificationPage')
