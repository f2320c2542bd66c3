import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { vi } from 'vitest'
import { eventBreach } from './event-breach.ts'
import { SOON } from './patience.ts'

/** A received webhook. */
export interface Received {
  headers: IncomingHttpHeaders
  /** The unchanged body, for the signature. */
  raw: string
  // biome-ignore lint/suspicious/noExplicitAny: the envelope's data depends on its type
  event: any
  at: Date
}

/** A status, a whole response, no response, a closed connection, or a 200 whose body begins and never ends. */
export type Reply =
  | number
  | 'hang'
  | 'close'
  | 'endless'
  | { status: number; headers?: Record<string, string>; body?: string | Readable }

export interface Receiver {
  url: string
  /** The received webhooks; throws if one violates the published schema of its type, as do `arrival` and `stop`. */
  readonly received: Received[]
  /** Sets the response to the n-th webhook, from 1 on. */
  respond(reply: Reply | ((n: number, webhook: Received) => Reply | Promise<Reply>)): void
  /** Resolves when this many webhooks (of a type) were received; rejects after a timeout. */
  arrival(count: number, type?: string, timeoutMs?: number): Promise<Received[]>
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const KEEP_ALIVE_MS = 60_000 // longer than the runtime keeps a connection, so that none is closed during a webhook

/**
 * Starts a webhook endpoint on this machine, which records webhooks and returns the responses of the test.
 *
 * @param checked whether to validate the webhooks against the schemas of the registry's events
 */
export async function startReceiver({ checked = true } = {}): Promise<Receiver> {
  const received: Received[] = []
  const breaches: string[] = []
  let reply: (n: number, webhook: Received) => Reply | Promise<Reply> = () => 200

  const server = createServer(async (request, response) => {
    const at = new Date()
    const raw = await text(request).catch(() => null)
    if (raw === null) return
    const webhook: Received = { headers: request.headers, raw, event: JSON.parse(raw), at }
    received.push(webhook)
    const breach = checked ? eventBreach(webhook.event) : null
    if (breach) breaches.push(`${breach}\n${raw}`)
    const said = await reply(received.length, webhook)
    if (said === 'hang') return
    if (said === 'close') return void request.socket.destroy()
    if (said === 'endless') return void response.writeHead(200).write('and so on')
    const { status, headers = {}, body = '' } = typeof said === 'number' ? { status: said } : said
    response.writeHead(status, headers)
    if (typeof body === 'string') response.end(body)
    else body.on('error', () => undefined).pipe(response)
  })
  server.keepAliveTimeout = KEEP_ALIVE_MS
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  const keptPromises = () => {
    if (breaches.length > 0) throw new Error(`webhooks break their schemas: ${breaches.join('; ')}`)
  }

  const stop = async () => {
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
    keptPromises()
  }

  return {
    url: `http://127.0.0.1:${port}/hook`,
    get received() {
      keptPromises()
      return received
    },
    respond(next) {
      reply = typeof next === 'function' ? next : () => next
    },
    async arrival(count, type, timeout = SOON.timeout) {
      const look = () => {
        const found = received.filter(({ event }) => type === undefined || event.type === type)
        if (found.length >= count || breaches.length > 0) return found
        throw new Error(`${found.length} of ${count} webhooks came: ${received.map((w) => w.event.type)}`)
      }
      const found = await vi.waitFor(look, { ...SOON, timeout })
      keptPromises()
      return found
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
