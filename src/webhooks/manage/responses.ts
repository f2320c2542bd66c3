import * as z from 'zod'
import { describeRoutes, json } from '../../api/responses.ts'
import { DELIVERY_STATUSES } from '../../db/enums.ts'
import { count, itemsOf, pageOf, recordId, timeOrNull, timestamp } from '../../wire/responses.ts'
import { webhookEvent } from './event-types.ts'
import { EXAMPLE_ID } from './examples.ts'
import { eventType } from './schema.ts'

const eventId = z.string().meta({
  description: 'ID of the event; the same in every attempt and redelivery',
  example: EXAMPLE_ID,
})

const eventTypeList = z
  .object({
    data: itemsOf(
      z.object({
        type: eventType.meta({ description: 'Event type' }),
        description: z.string().meta({
          description: 'When events of this type are sent',
          example: 'The operator of an agent verified a domain for it',
        }),
        schema: z.record(z.string(), z.unknown()).meta({
          description: 'JSON Schema (draft 2020-12) of the whole webhook body',
          example: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
        }),
        example: webhookEvent.meta({ description: 'Example of an event' }),
      }),
      'All event types',
    ),
  })
  .meta({ id: 'EventTypeList', description: 'Event types that platforms can receive' })

const item = {
  id: recordId,
  event_id: eventId,
  type: eventType.meta({ description: 'Type of the event' }),
  status: z.enum(DELIVERY_STATUSES).meta({
    description:
      '`skipped`: not sent, or not retried, because the webhook was disabled, paused for the day, or had no URL, the platform was retired, or its operator was suspended',
    example: 'delivered',
  }),
  attempts: count(1, 'Number of attempts so far; at most five'),
  created_at: timestamp.meta({ description: 'Time of creation' }),
  next_attempt_at: timeOrNull('When the next attempt is due; null if the delivery is not pending', null),
  delivered_at: timeOrNull('Time of the successful attempt; null if there was none'),
}

export const delivery = z
  .object(item)
  .meta({ id: 'Delivery', description: 'Delivery of an event to a platform' })

export type Delivery = z.infer<typeof delivery>

const deliveryPage = pageOf(delivery).meta({ id: 'DeliveryPage', description: 'Page of deliveries' })

const attempt = z.object({
  number: count(1, 'Number of the attempt, starting at 1'),
  started_at: timestamp.meta({ description: 'Time at which the attempt started' }),
  duration_ms: count(84)
    .nullable()
    .meta({ description: 'Duration in milliseconds; null while the attempt is in progress' }),
  response_status: count(200)
    .nullable()
    .meta({ description: 'HTTP status of the response; null if none was received' }),
  error: z
    .string()
    .nullable()
    .meta({ description: 'Why no complete response was received; null if one was', example: null }),
  response_excerpt: z.string().nullable().meta({
    description: 'First 2 KB of the response body; null if no response was received',
    example: 'ok',
  }),
})

const deliveryDetail = z
  .object({
    ...item,
    payload: webhookEvent,
    attempt_log: z.array(attempt).meta({ description: 'Attempts, oldest first' }),
  })
  .meta({ id: 'DeliveryDetail', description: 'Delivery with its payload and all attempts' })

export type DeliveryDetail = z.infer<typeof deliveryDetail>

export const recovered = z
  .object({
    count: count(120, 'Number of events that are redelivered'),
    more: z
      .boolean()
      .meta({ description: 'Whether more events are left; if true, call again', example: false }),
  })
  .meta({ id: 'Recovered', description: 'Result of a recovery' })

export const responses = describeRoutes('Webhooks', {
  listEventTypes: {
    summary: 'List the webhook event types',
    description:
      'Each event type has an example and a JSON Schema (draft 2020-12) of the whole webhook body. Fields may be added, so receivers must ignore unknown fields.',
    responses: { 200: json(eventTypeList, 'All event types') },
  },
  listDeliveries: {
    summary: 'List the webhook deliveries of a platform, newest first',
    description: 'Deliveries are kept for 30 days. At most 10,000 deliveries are counted and listed.',
    responses: { 200: json(deliveryPage, 'A page of deliveries') },
    errors: ['NOT_FOUND'],
  },
  getDelivery: {
    summary: 'Get a delivery with its payload and all attempts',
    description:
      'Each attempt shows its duration, the status of the response, and the first 2 KB of its body.',
    responses: { 200: json(deliveryDetail, 'The delivery') },
    errors: ['NOT_FOUND'],
  },
  redeliverEvent: {
    summary: 'Redeliver an event',
    description:
      'Creates a new delivery with the same event ID. The endpoint returns 409 if the webhook is disabled or has no URL, if the platform is retired, or if a delivery of the event is still pending; to retry a pending delivery immediately, use `retry-now`.',
    responses: { 202: json(delivery, 'The new delivery') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  retryDelivery: {
    summary: 'Retry a pending delivery now',
    description:
      'Makes the next attempt immediately instead of when it is due. It counts as one of the five attempts, and the delay before the following attempt starts from it. Repeating the call before the immediate attempt starts has no effect. The endpoint returns 409 if the delivery is not pending, if an attempt is in progress, or if the webhook is disabled or has no URL.',
    responses: {
      202: json(delivery, 'The delivery, with its next attempt due now'),
    },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  recoverDeliveries: {
    summary: 'Redeliver failed and skipped events',
    description:
      'Creates a new delivery for each event whose delivery failed or was skipped at or after `since`: one per event, oldest first, for at most 10,000 events per call. Events with a newer delivery that is pending or delivered are left out, so repeating the call creates no duplicates. The endpoint returns 409 if the webhook is disabled or has no URL, or if the platform is retired.',
    responses: { 200: json(recovered, 'How many events are redelivered, and whether more are left') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  testWebhook: {
    summary: 'Send a test event to the webhook',
    description:
      'Sends the example event of a type, with `"test": true` in its data, even if `event_types` does not include the type. It is signed, sent, and retried like any other event. The endpoint returns 409 if the webhook is disabled or has no URL, or if the platform is retired.',
    responses: { 202: json(delivery, 'The delivery of the test event') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
})
