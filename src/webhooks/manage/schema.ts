import * as z from 'zod'
import { DELIVERY_STATUSES, EVENT_TYPES } from '../../db/enums.ts'
import { REG_EXAMPLE, regField, wordParam } from '../../wire/fields.ts'
import { moment, period } from '../../wire/moment.ts'
import { pageQuery } from '../../wire/page.ts'

export const eventType = z
  .enum(EVENT_TYPES, { error: `must be one of ${EVENT_TYPES.join(', ')}` })
  .register(z.globalRegistry, { example: 'agent.ownership_verified' })

export const deliveryQuery = z.object({
  status: wordParam('status', DELIVERY_STATUSES, `must be one of ${DELIVERY_STATUSES.join(', ')}`, {
    description: 'Only deliveries with this status',
    example: 'failed',
  }),
  type: eventType.optional().register(z.globalRegistry, {
    param: { name: 'type', in: 'query' },
    description: 'Only deliveries of events of this type',
    example: 'trust.updated',
  }),
  reg: regField.optional().meta({
    param: { name: 'reg', in: 'query' },
    description:
      'Only deliveries of events about this agent, among the newest 10,000 that match the other filters',
    example: REG_EXAMPLE,
  }),
  ...period('Only deliveries created'),
  ...pageQuery,
})

export type DeliveryQuery = z.infer<typeof deliveryQuery>

export const recoverInput = z
  .object({
    since: moment.meta({
      type: 'string',
      description:
        'ISO 8601 time, in UTC unless it has an offset, or date (00:00 UTC of that day); at most 14 days in the past',
      example: '2026-11-21T08:00:00Z',
    }),
  })
  .meta({ id: 'RecoverInput', description: 'Events to deliver again' })

export const webhookTestInput = z
  .object({ type: eventType.meta({ description: 'Event type of the test event' }) })
  .meta({ id: 'WebhookTestInput', description: 'Test event to send' })
