import * as z from 'zod'
import { type Answers, json } from '../../api/answers.ts'
import { DELIVERY_STATUSES } from '../../db/enums.ts'
import { count, pageOf, recordId, timestamp } from '../../wire/answers.ts'
import { DOMAIN_EXAMPLE, REG_EXAMPLE } from '../../wire/fields.ts'
import { eventType } from './schema.ts'

const EVENT_ID_EXAMPLE = 'evt_01a1fc89cf657e9091f2582afd126737'

const DATA_EXAMPLE = {
  reg: REG_EXAMPLE,
  domain: DOMAIN_EXAMPLE,
  method: 'dns',
  verified_at: '2026-11-21T10:00:00.000Z',
}

const eventId = z.string().meta({ example: EVENT_ID_EXAMPLE })

const envelope = z
  .object({
    id: eventId,
    type: eventType,
    created_at: timestamp,
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Its fields depend on the type: see GET /event-types', example: DATA_EXAMPLE }),
  })
  .meta({ id: 'WebhookEvent' })

/** The answer to GET /event-types. */
const eventTypeList = z
  .object({
    data: z.array(
      z.object({
        type: eventType,
        description: z
          .string()
          .meta({ example: 'The operator of an agent has proved that it holds a domain' }),
        schema: z.record(z.string(), z.unknown()).meta({
          description: 'JSON Schema, draft 2020-12, of the envelope',
          example: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
        }),
        example: envelope,
      }),
    ),
  })
  .meta({ id: 'EventTypeList' })

const item = {
  id: recordId,
  event_id: eventId,
  type: eventType,
  status: z.enum(DELIVERY_STATUSES).meta({
    description:
      'skipped: the webhook was disabled or had no URL, the platform was retired, or its operator suspended',
    example: 'delivered',
  }),
  attempts: count(1),
  created_at: timestamp,
  next_attempt_at: timestamp.nullable().meta({ description: 'While it is pending', example: null }),
  delivered_at: timestamp.nullable(),
}

/** A delivery of an event to a platform. */
export const delivery = z.object(item).meta({ id: 'Delivery' })

export type Delivery = z.infer<typeof delivery>

/** The answer to GET /platforms/{slug}/deliveries. */
const deliveryPage = pageOf(delivery).meta({ id: 'DeliveryPage' })

const attempt = z.object({
  number: count(1),
  started_at: timestamp,
  duration_ms: count(84).nullable(),
  response_status: count(200).nullable(),
  error: z.string().nullable().meta({ description: 'Why there was no answer', example: null }),
  response_excerpt: z
    .string()
    .nullable()
    .meta({ description: 'How the answer began: at most 2 KB', example: 'ok' }),
})

/** A delivery with what was sent and what came of each attempt. */
const deliveryDetail = z
  .object({ ...item, payload: envelope, attempt_log: z.array(attempt) })
  .meta({ id: 'DeliveryDetail' })

export type DeliveryDetail = z.infer<typeof deliveryDetail>

/** The answer to POST /platforms/{slug}/deliveries/recover. */
export const recovered = z
  .object({
    count: count(120, 'Events that are delivered again'),
    more: z.boolean().meta({ description: 'Whether to call again for the rest', example: false }),
  })
  .meta({ id: 'Recovered' })

/** What the document says of these routes, and what they answer. */
export const answers = {
  listEventTypes: {
    tag: 'Webhooks',
    summary:
      'The types of events that platforms receive, each with the JSON Schema of its envelope and an example',
    description:
      'Schemas are JSON Schema, draft 2020-12, of the whole body of a webhook. They are open: a field may be added, so receivers ignore what they do not know.',
    responses: { 200: json(eventTypeList, 'All event types') },
  },
  listDeliveries: {
    tag: 'Webhooks',
    summary: "Webhook deliveries to one's own platform, newest first",
    description: 'Deliveries are kept for 30 days. `total` is exact to 10,000, and pages end there.',
    responses: { 200: json(deliveryPage, 'A page of deliveries') },
    errors: ['NOT_FOUND'],
  },
  getDelivery: {
    tag: 'Webhooks',
    summary: 'A delivery with its payload, as it is sent, and every attempt',
    responses: { 200: json(deliveryDetail, 'The delivery') },
    errors: ['NOT_FOUND'],
  },
  redeliverEvent: {
    tag: 'Webhooks',
    summary: 'Deliver an event again, as a new delivery with the same event id',
    description:
      '409 while the webhook is disabled or has no URL, once the platform is retired, and while a delivery of the event is pending: that one is still going to be made, and `retry-now` makes it at once.',
    responses: { 202: json(delivery, 'The new delivery') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  retryDelivery: {
    tag: 'Webhooks',
    summary: 'Make the attempt that a pending delivery waits for now, not when it is due',
    description:
      'It stays the same attempt of five, and the one after it is due as long after it as ever. To ask again changes nothing. 409 when the delivery is not pending, while an attempt is under way, and while the webhook is disabled or has no URL.',
    responses: {
      202: json(delivery, 'The delivery, its attempt due now'),
    },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  recoverDeliveries: {
    tag: 'Webhooks',
    summary: 'Deliver again whatever has failed or was skipped since a time, at most 10,000 events',
    description:
      'Each event once, the oldest first. Events that have a newer delivery which is pending or was made are left out, so a second call doubles nothing. 409 while the webhook is disabled or has no URL, once the platform is retired.',
    responses: { 200: json(recovered, 'How many are delivered again, and whether more are left') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  testWebhook: {
    tag: 'Webhooks',
    summary: 'Send the example event of a type to the webhook, marked `"test": true` in its data',
    description:
      'Whatever `event_types` says. It is signed, sent and retried as any other. 409 while the webhook is disabled or has no URL, once the platform is retired.',
    responses: { 202: json(delivery, 'The delivery of the test event') },
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
} satisfies Answers
