import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, it, onTestFinished, vi } from 'vitest'
import { makeWebhookSecret } from '../../src/lib/webhook-signature.ts'
import { send } from '../../src/webhooks/relay/send.ts'

const EVENT = { id: 'evt_1', type: 'agent.updated', created_at: '2026-11-01T00:00:00.000Z', data: {} }

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

it.each([
  ['no TLS', () => createServer((_, response) => response.end())],
  ['TLS without a certificate', () => createTlsServer({}).on('tlsClientError', () => undefined)],
])('sends nothing to a receiver with %s', async (_, make) => {
  let requests = 0
  const server = make().on('request', () => {
    requests += 1
  })
  const url = `https://localhost:${await portOf(server)}/`
  const outcome = await send(url, [makeWebhookSecret()], EVENT, new Date())
  expect(outcome).toMatchObject({
    response_status: null,
    error: 'connection failed',
    response_excerpt: null,
  })
  expect(requests).toBe(0)
})

it('has ended once 8 KB of the response were read, even if it goes on', async () => {
  const server = createServer((_, response) => response.write('a'.repeat(8 * 1024)))
  const url = `http://127.0.0.1:${await portOf(server)}/`
  const outcome = await send(url, [makeWebhookSecret()], EVENT, new Date())
  expect(outcome).toMatchObject({ response_status: 200, error: null })
})

it('cancels the rest of the response', async () => {
  onTestFinished(() => void vi.unstubAllGlobals())
  const cancel = vi.fn()
  const endless = new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(8 * 1024)), cancel })
  vi.stubGlobal('fetch', async () => new Response(endless))
  await send('https://receiver.example/', [makeWebhookSecret()], EVENT, new Date())
  expect(cancel).toHaveBeenCalledOnce()
})
