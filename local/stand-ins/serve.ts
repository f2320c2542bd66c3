import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'

/** A request to a stand-in; times in ms of the process clock. */
export interface Call {
  service: string
  method: string
  path: string
  began: number
  ended: number | null
}

export interface Served {
  url: string
  stop(): Promise<void>
}

const MAX_CALLS = 50_000
const calls: Call[] = []

/** The requests to all stand-ins of this process, oldest first; at most the newest 50,000. */
export function recordedCalls(): readonly Call[] {
  return calls
}

let holdMs = 0

/** Delays the responses of all stand-ins of this process, so that parallel requests overlap in the record. */
export function holdCalls(ms: number): void {
  holdMs = ms
}

/**
 * Starts an HTTP server on 127.0.0.1 that records the start and end of each request.
 *
 * @param service name in the record, e.g. `postgres`
 * @param listener a Node request listener, or a fetch handler wrapped by `fromFetch`
 * @param port a fixed port, or 0 for a free one
 */
export async function serve(service: string, listener: RequestListener, port = 0): Promise<Served> {
  const server = createServer((request, response) => {
    const call: Call = {
      service,
      method: request.method ?? '',
      path: request.url ?? '',
      began: performance.now(),
      ended: null,
    }
    calls.push(call)
    if (calls.length > MAX_CALLS) calls.splice(0, MAX_CALLS / 2)
    response.on('close', () => {
      call.ended = performance.now()
    })
    if (holdMs > 0) setTimeout(() => listener(request, response), holdMs)
    else listener(request, response)
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${bound}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The same, on the port of the last start if it is free; stores its port. */
export async function serveAgain(
  service: string,
  listener: RequestListener,
  { state, save }: { state: { port: number }; save(): void },
): Promise<Served> {
  const served = await serve(service, listener, state.port).catch(() => serve(service, listener))
  state.port = Number(new URL(served.url).port)
  save()
  return served
}

/** A Node request listener around a fetch handler (for example `app.fetch` of a Hono app). */
export function fromFetch(handler: (request: Request) => Response | Promise<Response>): RequestListener {
  return getRequestListener(handler)
}
