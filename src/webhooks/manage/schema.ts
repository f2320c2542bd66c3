import { z } from '@hono/zod-openapi'
import { EVENT_TYPES } from '../../db/enums.ts'
import { count, recordId, timestamp } from '../../wire/fields.ts'
import { moment, period } from '../../wire/moment.ts'
import { pageQuery, pagination } from '../../wire/page.ts'

const STATUSES = ['pending', 'delivered', 'failed', 'skipped'] as const

const EVENT_ID_EXAMPLE = 'evt_01a1fc89cf657e9091f2582afd126737'
const DATA_EXAMPLE = {
  reg: 'REG-2026-0001-0042-U',
  domain: 'agents.example.com',
  method: 'dns',
  verified_at: '2026-11-21T10:00:00.000Z',
}

const eventType = z
  .enum(EVENT_TYPES, { error: `must be one of ${EVENT_TYPES.join(', ')}` })
  .openapi({ example: 'agent.ownership_verified' })
const eventId = z.string().openapi({ example: EVENT_ID_EXAMPLE })

const envelope = z
  .object({
    id: eventId,
    type: eventType,
    created_at: timestamp,
    data: z
      .record(z.string(), z.unknown())
      .openapi({ description: 'Its fields depend on the type: see GET /event-types', example: DATA_EXAMPLE }),
  })
  .openapi('WebhookEvent')

/** The answer to GET /event-types. */
export const eventTypeList = z
  .object({
    data: z.array(
      z.object({
        type: eventType,
        description: z
          .string()
          .openapi({ example: 'The operator of an agent has proved that it holds a domain' }),
        schema: z.record(z.string(), z.unknown()).openapi({
          description: 'JSON Schema, draft 2020-12, of the envelope',
          example: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' },
        }),
        example: envelope,
      }),
    ),
  })
  .openapi('EventTypeList')

const item = {
  id: recordId,
  event_id: eventId,
  type: eventType,
  status: z
    .enum(STATUSES)
    .openapi({ description: 'skipped: the webhook was disabled or had no URL', example: 'delivered' }),
  attempts: count(1),
  created_at: timestamp,
  next_attempt_at: timestamp.nullable().openapi({ description: 'While it is pending', example: null }),
  delivered_at: timestamp.nullable(),
}

/** A delivery of an event to a platform. */
export const delivery = z.object(item).openapi('Delivery')

export type Delivery = z.infer<typeof delivery>

/** The answer to GET /platforms/{slug}/deliveries. */
export const deliveryPage = z.object({ data: z.array(delivery), pagination }).openapi('DeliveryPage')

const attempt = z.object({
  number: count(1),
  started_at: timestamp,
  duration_ms: count(84).nullable(),
  response_status: count(200).nullable(),
  error: z.string().nullable().openapi({ description: 'Why there was no answer', example: null }),
  response_excerpt: z
    .string()
    .nullable()
    .openapi({ description: 'How the answer began: at most 2 KB', example: 'ok' }),
})

/** A delivery with what was sent and what came of each attempt. */
export const deliveryDetail = z
  .object({ ...item, payload: envelope, attempt_log: z.array(attempt) })
  .openapi('DeliveryDetail')

export type DeliveryDetail = z.infer<typeof deliveryDetail>

/** Query of GET /platforms/{slug}/deliveries. */
export const deliveryQuery = z.object({
  status: z
    .enum(STATUSES, { error: `must be one of ${STATUSES.join(', ')}` })
    .optional()
    .openapi({
      param: { name: 'status', in: 'query' },
      description: 'Only deliveries in this state',
      example: 'failed',
    }),
  type: eventType.optional().openapi({
    param: { name: 'type', in: 'query' },
    description: 'Only deliveries of events of this type',
    example: 'trust.updated',
  }),
  ...period('Deliveries made'),
  ...pageQuery,
})

export type DeliveryQuery = z.infer<typeof deliveryQuery>

/** Body of POST /platforms/{slug}/deliveries/recover. */
export const recoverInput = z
  .object({
    since: moment().openapi({
      type: 'string',
      description: 'A time in ISO 8601, or a day, which means its beginning in UTC; at most 14 days back',
      example: '2026-11-21T08:00:00Z',
    }),
  })
  .openapi('RecoverInput')

/** The answer to POST /platforms/{slug}/deliveries/recover. */
export const recovered = z
  .object({
    count: count(120, 'Events that are delivered again'),
    more: z.boolean().openapi({ description: 'Whether to call again for the rest', example: false }),
  })
  .openapi('Recovered')

/** Body of POST /platforms/{slug}/webhook-test. */
export const webhookTestInput = z.object({ type: eventType }).openapi('WebhookTestInput')
