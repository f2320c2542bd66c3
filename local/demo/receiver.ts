import type { IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { serve } from '../stand-ins/serve.ts'

const PATH = '/webhooks'
const POLL_MS = 50

/** A received webhook; `body` is the exact text, which the signature covers. */
export interface Arrival {
  headers: IncomingHttpHeaders
  body: string
}

export interface Receiver {
  url: string
  arrivals: readonly Arrival[]
  /** Waits for the first arrival that `matches`; null after the timeout. */
  waitFor(matches: (arrival: Arrival) => boolean, timeoutMs: number): Promise<Arrival | null>
  stop(): Promise<void>
}

/** Starts a webhook receiver on a free port of 127.0.0.1; it stores each request and responds with 204. */
export async function startReceiver(): Promise<Receiver> {
  const arrivals: Arrival[] = []
  const { url, stop } = await serve('demo', async (request, response) => {
    if (request.method !== 'POST' || request.url !== PATH) return response.writeHead(404).end()
    const body = await text(request).catch(() => null)
    if (body !== null) arrivals.push({ headers: request.headers, body })
    response.writeHead(204).end()
  })
  return {
    url: url + PATH,
    arrivals,
    async waitFor(matches, timeoutMs) {
      for (const until = Date.now() + timeoutMs; ; await sleep(POLL_MS)) {
        const found = arrivals.find(matches)
        if (found || Date.now() >= until) return found ?? null
      }
    },
    stop,
  }
}
