import {
  describeEventTypes,
  type EventTypeInfo,
  eventSchemaName,
} from '../../src/webhooks/manage/event-types.ts'
import { EXAMPLE_ID } from '../../src/webhooks/manage/examples.ts'
import type { Operation, Parameter, Response } from './build.ts'

const SECONDS = { schema: { type: 'string', pattern: '^\\d{1,12}$' }, example: '1795255200' }

/** An operation of the receiver, with references to its headers. */
type Webhook = Omit<Operation, 'parameters'> & { parameters: (Parameter | { $ref: string })[] }

/** The headers of every delivery: the service's own signature, and those of Standard Webhooks. */
export const DELIVERY_HEADERS = {
  RegSignature: header(
    'X-REG-Signature',
    '`sha256=` and the HMAC-SHA256 of `<X-REG-Timestamp>.<body>` in lowercase hex; the key is the whole `whsec_…` string',
    {
      schema: { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
      example: 'sha256=1148a6ae12226b9c7b88ee92c810d5283fe4ef9aa81c4c80565e03a88a5bba4b',
    },
  ),
  RegTimestamp: header('X-REG-Timestamp', 'Time of this attempt, as Unix time in seconds', SECONDS),
  WebhookId: header('webhook-id', '`id` of the event (Standard Webhooks)', {
    schema: { type: 'string', pattern: '^evt_[0-9a-f]{32}$' },
    example: EXAMPLE_ID,
  }),
  WebhookTimestamp: header('webhook-timestamp', 'Same as `X-REG-Timestamp` (Standard Webhooks)', SECONDS),
  WebhookSignature: header(
    'webhook-signature',
    '`v1,` and the base64 of the HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`; the key is the part after ' +
      '`whsec_`, base64-decoded. For 24 hours after a rotation there are two, separated by a space (Standard Webhooks)',
    {
      schema: { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$' },
      example: 'v1,hBmNJRm+KvWv4iwyMF4t6RSgXbgj4ehcTAvRUVd21pA=',
    },
  ),
}

const ABOUT =
  'Sent as a POST request to the `webhook_url` of each platform that the event concerns. Before you process it, verify one of the ' +
  'signatures over the raw body in constant time, and reject a timestamp that is more than five minutes off ([receivers](/docs/receivers)). ' +
  'An event can arrive more than once, and events can arrive out of order; deduplicate by `id`.'

/** The responses of a receiver; their bodies are ignored. */
const RESPONSES: Record<string, Response> = {
  '2XX': { description: 'The event was received; the receiver must respond within 30 seconds' },
  '410': {
    description: 'The receiver no longer exists: the delivery fails, and the webhook is disabled immediately',
  },
  default: { description: 'The attempt failed; the delivery is retried, with up to five attempts in total' },
}

/** The section `webhooks` of the document, by event type. */
export function webhooksOf(): Record<string, { post: Webhook }> {
  return Object.fromEntries(describeEventTypes().map((info) => [info.type, { post: toOperation(info) }]))
}

function toOperation({ type, description, example }: EventTypeInfo): Webhook {
  const schema = { $ref: `#/components/schemas/${eventSchemaName(type)}` }
  return {
    operationId: `receive${eventSchemaName(type)}`,
    tags: ['Webhooks'],
    summary: description,
    description: ABOUT,
    security: [],
    parameters: [
      ...Object.keys(DELIVERY_HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
      header('X-REG-Event', 'Event type; this header is not signed, so use `type` of the body', {
        schema: { type: 'string', const: type },
        example: type,
      }),
    ],
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: RESPONSES,
  }
}

function header(name: string, description: string, rest: Pick<Parameter, 'schema' | 'example'>): Parameter {
  return { name, in: 'header', required: true, description, ...rest }
}
