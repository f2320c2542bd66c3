import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askRelay } from '../support/deliveries.ts'
import {
  type ApiResponse,
  type Body,
  expectError,
  freshSlug,
  shared,
  startReceiver,
} from '../support/harness.ts'
import vectors from '../vectors/hostile-urls.json' with { type: 'json' }

const LAST_ATTEMPT = 5 // no further attempt is published
const NEVER = '9999-01-01T00:00:00Z' // keeps the delivery out of the sweep, which other tests run

const h = shared()
const { taken: accepted } = vectors
const base_url = vectors.base_url.replace('https:', 'http:') // with https, the settings of the stack are rejected
/** One URL for each reason; test/unit/hostile-urls.test.ts covers all of them. */
const rejected = Object.entries(vectors.reasons).map(([reason, problem]) => ({
  url: vectors.rejected.find((one) => one.reason === reason)?.url ?? '',
  problem,
}))

// The rules of production apply: no http to loopback, and a host name of its own.
let production: Awaited<ReturnType<typeof h.variant>>
/** A listener on loopback that no request may reach. */
let listener: Server & { reached: number }

beforeAll(async () => {
  production = await h.variant({
    BASE_URL: base_url,
    ALLOW_LOCAL_WEBHOOKS: undefined,
    ALLOW_TEST_CLOCK: undefined,
    WELL_KNOWN_BASE_URL: undefined,
    MAIL_API_URL: undefined,
  })
  const server = createServer((socket) => {
    listener.reached++
    socket.destroy()
  })
  listener = Object.assign(server, { reached: 0 })
  await new Promise<void>((resolve) => listener.listen(0, resolve))
})
afterAll(async () => {
  await production?.stop()
  listener?.close()
})

function listenerPort(): number {
  const address = listener.address()
  if (!address || typeof address === 'string') throw new Error('the listener has no port')
  return address.port
}

/** URLs of the listener by several names of loopback, with https and http. */
function listenerUrls(): string[] {
  const hosts = [
    '127.0.0.1',
    'localhost',
    '[::1]',
    '2130706433',
    '0x7f.1',
    '[::ffff:127.0.0.1]',
    'localhost.',
  ]
  return hosts.flatMap((host) => [`https://${host}:${listenerPort()}/`, `http://${host}:${listenerPort()}/`])
}

const register = (token: string, webhook_url: string) =>
  production.api('POST', '/platforms', { token, body: { slug: freshSlug(), name: 'p', webhook_url } })

/** Stores a URL directly in the database, with a delivery whose last attempt is pending. */
async function plant(webhook_url: string): Promise<{ delivery_id: string; host: string | null }> {
  const ids = {
    platform: randomUUID(),
    event: `evt_${randomUUID().replaceAll('-', '')}`,
    delivery: randomUUID(),
  }
  const { slug } = await owner()
  const created = new Date().toISOString()
  await h.sql(
    `insert into platforms (id, operator_id, slug, name, webhook_url, webhook_secret, last_response_at, created_at)
     select $1, operator_id, $2, name, $3, webhook_secret, created_at, created_at from platforms where slug = $4`,
    [ids.platform, freshSlug(), webhook_url, slug],
  )
  await h.sql(
    `insert into webhook_events (id, type, created_at, data) values ($1, 'agent.updated', $2, '{}')`,
    [ids.event, created],
  )
  await h.sql(
    `insert into webhook_deliveries
       (id, event_id, platform_id, type, status, attempts, next_attempt_at, published_at, created_at)
     values ($1, $2, $3, 'agent.updated', 'pending', $4, $5, $6, $6)`,
    [ids.delivery, ids.event, ids.platform, LAST_ATTEMPT - 1, NEVER, created],
  )
  return {
    delivery_id: ids.delivery,
    host: /^https?:\/\/([^/?#:]+)/i.exec(webhook_url)?.[1]?.toLowerCase() ?? null,
  }
}

let ownerOnce: Promise<Body> | undefined
const owner = (): Promise<Body> => {
  ownerOnce ??= h.newOperator().then((operator) => h.newPlatform(operator))
  return ownerOnce
}

/** Calls the relay for the last attempt of a planted delivery, as QStash does; returns the recorded attempt. */
async function attempt(
  { delivery_id, host }: Awaited<ReturnType<typeof plant>>,
  at: Parameters<typeof askRelay>[0],
): Promise<Body> {
  expect(await askRelay(at, delivery_id, LAST_ATTEMPT, host)).toMatchObject({ status: 200 })
  const [row] = await h.sql(
    `select a.error, a.duration_ms, a.response_status, d.status
     from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id where d.id = $1`,
    [delivery_id],
  )
  return row
}

function expectRejected(responses: ApiResponse[]): void {
  expect(responses.map(({ body }) => body)).toEqual(
    rejected.map(({ problem }) => ({
      error: { code: 'VALIDATION_ERROR', message: `webhook_url: ${problem}`, status: 400 },
    })),
  )
}

describe('a hostile webhook URL', () => {
  it('is rejected when a platform is registered, with the rule that it violates', async () => {
    const { id, token } = await h.newOperator()
    expectRejected(await Promise.all(rejected.map(({ url }) => register(token, url))))
    expect(await h.sql('select 1 from platforms where operator_id = $1', [id])).toEqual([])
  })

  it('is rejected when a platform is changed, which keeps its previous URL', async () => {
    const { token } = await h.newOperator()
    const webhook_url = 'https://hooks.example.com/'
    const { slug } = (await register(token, webhook_url)).body
    const change = (url: string) =>
      production.api('PATCH', `/platforms/${slug}`, { token, body: { webhook_url: url } })
    expectRejected(await Promise.all(rejected.map(({ url }) => change(url))))
    const stored = await h.sql('select webhook_url from platforms where slug = $1', [slug])
    expect(stored).toEqual([{ webhook_url }])
  })

  it('is not confused with a valid one, which is stored exactly as sent', async () => {
    const { token } = await h.newOperator({ tier: 'business' })
    const responses = await Promise.all(accepted.map((url) => register(token, url)))
    expect(responses.map(({ body }) => body.webhook_url)).toEqual(accepted)
  })

  it('is not called even if it is in the database', async () => {
    const outcomes = await Promise.all(
      rejected.map(async ({ url }) => attempt(await plant(url), { api: production.api, base_url })),
    )
    expect(outcomes).toEqual(
      rejected.map(({ problem }) => ({
        error: `webhook_url ${problem}`,
        duration_ms: 0,
        response_status: null,
        status: 'failed',
      })),
    )
  })

  it('reaches no listener on loopback, in any notation of the address', async () => {
    const { token } = await h.newOperator()
    for (const url of listenerUrls()) {
      expectError(await register(token, url), 400, 'VALIDATION_ERROR', /^webhook_url: must /)
      const outcome = await attempt(await plant(url), { api: production.api, base_url })
      expect(outcome, url).toMatchObject({
        error: expect.stringMatching(/^webhook_url must /),
        status: 'failed',
      })
    }
    expect(listener.reached).toBe(0)
  })

  it.each([301, 302, 303, 307, 308])('is not reached through a redirect with %i', async (status) => {
    const receiver = await startReceiver({ checked: false })
    try {
      receiver.respond({ status, headers: { Location: `http://127.0.0.1:${listenerPort()}/` } })
      const outcome = await attempt(await plant(receiver.url), h)
      expect(outcome).toMatchObject({ error: null, response_status: status, status: 'failed' })
      expect(receiver.received).toHaveLength(1)
      expect(listener.reached).toBe(0)
    } finally {
      await receiver.stop()
    }
  })
})
