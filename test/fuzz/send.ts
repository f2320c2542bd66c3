import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface Reply {
  status: number
  type: string
  text: string
  /** Size of the body as received. */
  bytes: number
  headers: Record<string, string | string[] | undefined>
}

const LARGE_BYTES = 65_536 // smaller bodies fit into the socket buffers
const HUNG_UP = ['EPIPE', 'ECONNRESET']

const agent = new Agent({ keepAlive: true, maxSockets: 32 })

interface Call {
  method: string
  /** With its query, in bytes of Latin-1. */
  path: string
  headers: [string, string][]
  body: Buffer | null
}

/**
 * Sends a request unchanged, while `fetch` would add headers, normalize, and follow redirects.
 *
 * @param timeoutMs maximum time for a response
 * @throws Error without a response
 */
export async function send(baseUrl: string, call: Call, timeoutMs: number): Promise<Reply> {
  try {
    return await sendOnce(baseUrl, call, timeoutMs, true)
  } catch (error) {
    // A request rejected by its head is closed, and its response may be lost while the body is still being written.
    const { code = '' } = error as { code?: string }
    if (!HUNG_UP.includes(code) || (call.body?.length ?? 0) < LARGE_BYTES) throw error
    return sendOnce(baseUrl, call, timeoutMs, false)
  }
}

/** @param whole whether the body is sent */
async function sendOnce(baseUrl: string, call: Call, timeoutMs: number, whole: boolean): Promise<Reply> {
  const { hostname, port, host } = new URL(baseUrl)
  const { method, path, body } = call
  const length = body ? ['Content-Length', String(body.length)] : []
  const headers = [...call.headers.flat(), 'Host', host, ...length]
  const signal = AbortSignal.timeout(timeoutMs)
  const sent = request({ agent, hostname, port, method, path, headers, signal })
  sent.on('error', () => undefined) // also after its response
  if (whole) sent.end(body ?? undefined)
  else sent.flushHeaders()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const bytes = await buffer(response)
  if (!whole) sent.destroy()
  return {
    status: response.statusCode ?? 0,
    type: response.headers['content-type'] ?? '',
    text: bytes.toString(),
    bytes: bytes.length,
    headers: response.headers,
  }
}

/** Closes idle connections. */
export const closeConnections = () => agent.destroy()
