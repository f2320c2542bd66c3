import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { buffer } from 'node:stream/consumers'
import type { Message } from './message.ts'

/** What a destination answered; status 0 when there was no whole response, and then the body says why. */
export interface DestinationResponse {
  status: number
  headers: Record<string, string[]>
  body: Buffer
}

/**
 * Sends a message to its destination, once.
 *
 * @param message the message; its timeout bounds the exchange up to the last byte of the response
 * @param headers sent in addition to the message's own
 * @param stop ends the exchange as a failure
 * @returns never rejects
 */
export async function callDestination(
  message: Message,
  headers: Record<string, string>,
  stop: AbortSignal,
): Promise<DestinationResponse> {
  try {
    const url = new URL(message.url)
    // A connection of its own: a kept one that the destination has closed would look like a failed try.
    const request = (url.protocol === 'https:' ? https : http).request(url, {
      method: message.method,
      headers: { ...message.headers, ...headers },
      agent: false,
      signal: AbortSignal.any([stop, AbortSignal.timeout(message.timeoutMs)]),
    })
    const answered = once(request, 'response')
    request.on('error', () => undefined)
    request.end(Buffer.from(message.bodyBase64, 'base64'))
    const [response]: IncomingMessage[] = await answered
    if (response === undefined) return failed('no response')
    const body = await buffer(response)
    return { status: response.statusCode ?? 0, headers: distinct(response), body }
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
}

/** The response that stands for a connection that failed. */
export function failed(reason: string): DestinationResponse {
  return { status: 0, headers: {}, body: Buffer.from(reason) }
}

/** Whether QStash takes the response as a delivery. */
export function isDelivered(reply: DestinationResponse): boolean {
  return reply.status >= 200 && reply.status < 300
}

/** Whether the destination forbids further tries. */
export function isFinal(reply: DestinationResponse): boolean {
  return reply.status === 489 && reply.headers['upstash-nonretryable-error']?.[0]?.toLowerCase() === 'true'
}

function distinct(response: IncomingMessage): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(response.headersDistinct).map(([name, values]) => [name, values ?? []]),
  )
}
