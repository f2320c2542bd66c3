import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'
import type { Message } from './message.ts'

/** The response of a destination; status 0 if there was no complete response, and the body states why. */
export interface DestinationResponse {
  status: number
  headers: NodeJS.Dict<string[]>
  body: Buffer
}

/**
 * Sends a message to its destination, once.
 *
 * @param message the message; its timeout bounds the exchange up to the last byte of the response
 * @param headers sent in addition to the message's own
 * @param stop aborts the request, which then counts as failed
 * @returns the response; never rejects
 */
export async function callDestination(
  message: Message,
  headers: Record<string, string>,
  stop: AbortSignal,
): Promise<DestinationResponse> {
  try {
    // A new connection: a reused one that the destination has closed would look like a failed attempt.
    const request = http.request(message.url, {
      method: 'POST',
      headers: { ...message.headers, ...headers },
      agent: false,
      signal: AbortSignal.any([stop, AbortSignal.timeout(message.timeoutMs)]),
    })
    const responded = once(request, 'response')
    request.on('error', () => undefined)
    request.end(Buffer.from(message.bodyBase64, 'base64'))
    const [response]: IncomingMessage[] = await responded
    if (response === undefined) return failed('no response')
    const body = await buffer(response)
    return { status: response.statusCode ?? 0, headers: response.headersDistinct, body }
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error))
  }
}

/** The response that represents a failed connection. */
export function failed(reason: string): DestinationResponse {
  return { status: 0, headers: {}, body: Buffer.from(reason) }
}

/** Whether QStash counts the response as a delivery. */
export function isDelivered({ status }: DestinationResponse): boolean {
  return status >= 200 && status < 300
}
