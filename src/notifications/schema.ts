import { z } from '@hono/zod-openapi'
import { timestamp } from '../http/fields.ts'
import { pagination } from '../http/page.ts'

/** A notification of an operator. */
export const notification = z
  .object({
    id: z.uuid(),
    type: z.enum([
      'trust_alert',
      'incident_alert',
      'weekly_digest',
      'kyc_reminder',
      'webhook_disabled',
      'ownership_lost',
    ]),
    title: z.string(),
    body: z.string(),
    reg: z.string().nullable(),
    read_at: timestamp.nullable(),
    created_at: timestamp,
  })
  .openapi('Notification')

/** The answer to GET /operators/me/notifications. */
export const notificationPage = z
  .object({ data: z.array(notification), pagination, unread_count: z.number().int() })
  .openapi('NotificationPage')
