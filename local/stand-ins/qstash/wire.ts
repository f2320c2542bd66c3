import type { DestinationResponse } from './deliver.ts'
import type { Message } from './message.ts'

/** A message that will not be retried, with the last response. */
export interface DeadLetter {
  dlqId: string
  message: Message
  status: number
  headers: Record<string, string[]>
  answerBase64: string
}

/** A message in the API. */
export function toWire(message: Message) {
  const { flow } = message
  return {
    messageId: message.id,
    url: message.url,
    method: message.method,
    header: lists(message.headers),
    ...textOrBase64('body', message.bodyBase64),
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

/** A dead letter in the API. */
export function toDeadLetterWire(letter: DeadLetter) {
  return {
    ...toWire(letter.message),
    dlqId: letter.dlqId,
    responseStatus: letter.status,
    responseHeader: letter.headers,
    ...textOrBase64('responseBody', letter.answerBase64),
  }
}

/**
 * The body of a failure callback.
 *
 * Source: QStash documentation, "Callbacks".
 */
export function failureBody(message: Message, response: DestinationResponse, dlqId: string): Buffer {
  return Buffer.from(
    JSON.stringify({
      status: response.status,
      header: response.headers,
      body: response.body.toString('base64'),
      retried: message.retried,
      maxRetries: message.maxRetries,
      dlqId,
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

function textOrBase64<K extends string>(name: K, base64: string): Record<string, string> {
  const bytes = Buffer.from(base64, 'base64')
  const text = bytes.toString('utf8')
  return Buffer.from(text).equals(bytes) ? { [name]: text } : { [`${name}Base64`]: base64 }
}
