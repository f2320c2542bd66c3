import { Agent, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

export interface Reply {
  status: number
  type: string
  text: string
  /** Size of the body as received. */
  bytes: number
  headers: Record<string, string | string[] | undefined>
  ms: number
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
function sendOnce(baseUrl: string, call: Call, timeoutMs: number, whole: boolean): Promise<Reply> {
  const { hostname, port, host } = new URL(baseUrl)
  const headers = [...call.headers.flat(), 'Host', host]
  if (call.body) headers.push('Content-Length', String(call.body.length))
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const { method, path } = call
    const sent = request({ agent, hostname, port, method, path, headers }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      response.on('error', fail)
      response.on('end', () => {
        clearTimeout(timer)
        const { statusCode: status = 0, headers: replyHeaders } = response
        const type = String(replyHeaders['content-type'] ?? '')
        const bytes = Buffer.concat(pieces)
        resolve({
          status,
          type,
          text: plainOf(bytes, replyHeaders['content-encoding']),
          bytes: bytes.length,
          headers: replyHeaders,
          ms: performance.now() - began,
        })
        if (!whole) sent.destroy()
      })
    })
    const fail = (error: Error) => {
      clearTimeout(timer)
      reject(error)
    }
    const timer = setTimeout(() => sent.destroy(new Error(`no response in ${timeoutMs} ms`)), timeoutMs)
    sent.on('error', fail)
    if (whole) sent.end(call.body ?? undefined)
    else sent.flushHeaders()
  })
}

function plainOf(bytes: Buffer, encoding: string | undefined): string {
  if (bytes.length === 0 || !encoding) return bytes.toString()
  return (encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes)).toString()
}

/** Closes idle connections. */
export const closeConnections = () => agent.destroy()
