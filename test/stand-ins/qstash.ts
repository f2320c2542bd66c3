import type { IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { Client, Receiver } from '@upstash/qstash'
import { expect, onTestFinished, vi } from 'vitest'
import { startQStash } from '../../local/stand-ins/qstash/index.ts'
import { serve } from '../../local/stand-ins/serve.ts'
import { qstashControl } from '../support/harness.ts'
import { SOON } from '../support/patience.ts'
import { testFolders } from '../support/test-folder.ts'

interface Received {
  headers: IncomingHttpHeaders
  body: Buffer
}

interface Reply {
  status: number
  headers?: Record<string, string>
}

export const NOON = Date.parse('2031-05-01T12:00:00.000Z')

const newFolder = testFolders()

export async function start({ dir = newFolder() }: { dir?: string } = {}) {
  const stack = await startQStash({ dir, say: () => undefined, timeScale: 1 })
  onTestFinished(() => stack.stop())
  const client = new Client({ baseUrl: stack.url, token: stack.token, retry: false, devMode: false })
  return { ...stack, dir, client, control: qstashControl(stack.url) }
}

/** A stack whose clock moves only on request. */
export async function startVirtual(options: { dir?: string } = {}) {
  const stack = await start(options)
  await stack.control.setClock({ mode: 'virtual', now: new Date(NOON).toISOString() })
  return stack
}

export async function destination(
  reply: (request: Received) => Reply | Promise<Reply> = () => ({ status: 200 }),
) {
  const received: Received[] = []
  const server = await serve('destination', async (request, response) => {
    const got = { headers: request.headers, body: await buffer(request) }
    received.push(got)
    const { status, headers } = await reply(got)
    response.writeHead(status, headers).end()
  })
  onTestFinished(() => server.stop())
  return {
    url: `${server.url}/internal/qstash/deliver`,
    received,
    stop: server.stop,
    /** When each request arrived, in virtual seconds after noon, rounded. */
    seconds: () =>
      received.map(({ headers }) => Math.round((Date.parse(`${headers['x-test-now']}`) - NOON) / 1000)),
  }
}

export function verify(
  request: Received | undefined,
  url: string,
  { currentSigningKey, nextSigningKey }: { currentSigningKey: string; nextSigningKey: string },
) {
  const receiver = new Receiver({ currentSigningKey, nextSigningKey, devMode: false })
  const signature = String(request?.headers['upstash-signature'])
  return receiver.verify({ signature, body: String(request?.body), url })
}

export const arrived = (place: { received: Received[] }, count = 1) =>
  vi.waitFor(() => expect(place.received.length).toBeGreaterThanOrEqual(count), { ...SOON, interval: 2 })
