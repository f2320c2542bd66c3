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

const agent = new Agent({ keepAlive: true, maxSockets: 32 })

/**
 * Sends a request as it is: nothing is added, cleaned or followed, as `fetch` would.
 *
 * @param path with its query, in bytes of Latin-1
 * @param timeoutMs after which it counts as unanswered
 * @throws Error when no answer comes
 */
export function send(
  baseUrl: string,
  call: { method: string; path: string; headers: [string, string][]; body: Buffer | null },
  timeoutMs: number,
): Promise<Reply> {
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
        const whole = Buffer.concat(pieces)
        resolve({
          status,
          type,
          text: plainOf(whole, answered['content-encoding']),
          bytes: whole.length,
          headers: answered,
          ms: performance.now() - began,
        })
      })
    })
    const fail = (error: Error) => {
      clearTimeout(timer)
      reject(error)
    }
    const timer = setTimeout(() => sent.destroy(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs)
    sent.on('error', fail)
    sent.end(call.body ?? undefined)
  })
}

function plainOf(bytes: Buffer, encoding: string | undefined): string {
  if (bytes.length === 0 || !encoding) return bytes.toString()
  return (encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes)).toString()
}

/** Closes the connections that wait for more requests. */
export const hangUp = () => agent.destroy()
