import { Agent, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

export interface Reply {
  status: number
  type: string
  text: string
  /** Of its body, as it came. */
  bytes: number
  headers: Record<string, string | string[] | undefined>
  ms: number
}

const LARGE_BYTES = 65_536 // what fits into the buffers between us is written at once
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
 * Sends a request as it is: nothing is added, cleaned or followed, as `fetch` would.
 *
 * @param timeoutMs after which it counts as unanswered
 * @throws Error when no response comes
 */
export async function send(baseUrl: string, call: Call, timeoutMs: number): Promise<Reply> {
  try {
    return await sendOnce(baseUrl, call, timeoutMs, true)
  } catch (error) {
    // Who is rejected by the head alone is hung up on, and may lose the response while the body is still being written.
    const { code = '' } = error as { code?: string }
    if (!HUNG_UP.includes(code) || (call.body?.length ?? 0) < LARGE_BYTES) throw error
    return sendOnce(baseUrl, call, timeoutMs, false)
  }
}

/** @param whole whether the body follows the head */
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
        const { statusCode: status = 0, headers: answered } = response
        const type = String(answered['content-type'] ?? '')
        const bytes = Buffer.concat(pieces)
        resolve({
          status,
          type,
          text: plainOf(bytes, answered['content-encoding']),
          bytes: bytes.length,
          headers: answered,
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

/** Closes the connections that wait for more requests. */
export const hangUp = () => agent.destroy()
