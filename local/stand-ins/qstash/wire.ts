import type { DestinationResponse } from './deliver.ts'
import type { Message } from './message.ts'

/** A message in the API. */
export function toWire(message: Message) {
  const { flow } = message
  return {
    messageId: message.id,
    url: message.url,
    method: message.method,
    header: lists(message.headers),
    body: Buffer.from(message.bodyBase64, 'base64').toString(),
    maxRetries: message.maxRetries,
    notBefore: message.due,
    createdAt: message.createdAt,
    callerIP: '127.0.0.1',
    ...(message.label === null ? {} : { label: message.label }),
    ...(message.failureCallback === null ? {} : { failureCallback: message.failureCallback }),
    ...(flow === null ? {} : { flowControlKey: flow.key, period: flow.periodMs / 1000 }),
    ...(flow?.parallelism ? { parallelism: flow.parallelism } : {}),
    ...(flow?.rate ? { rate: flow.rate } : {}),
  }
}

/**
 * The body of a failure callback.
 *
 * Source: QStash documentation, "Callbacks".
 */
export function failureBody(message: Message, response: DestinationResponse): Buffer {
  return Buffer.from(
    JSON.stringify({
      status: response.status,
      header: response.headers,
      body: response.body.toString('base64'),
      retried: message.retried,
      maxRetries: message.maxRetries,
      dlqId: `${Date.now()}-0`,
      sourceMessageId: message.id,
      url: message.url,
      method: message.method,
      sourceHeader: lists(message.headers),
      sourceBody: message.bodyBase64,
      notBefore: String(message.due),
      createdAt: String(message.createdAt),
      callerIP: '127.0.0.1',
      ...(message.label === null ? {} : { label: message.label }),
    }),
  )
}

function lists(headers: Record<string, string>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
}
