import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askRelay, queueDeliveries } from '../support/deliveries.ts'
import { type ApiResponse, type Body, freshSlug, shared } from '../support/harness.ts'
import vectors from '../vectors/hostile-urls.json' with { type: 'json' }

const LAST_ATTEMPT = 5 // no further attempt is published

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
let slug: string
/** A listener on loopback that no request may reach. */
const listener = createServer((socket) => {
  reached++
  socket.destroy()
})
let reached = 0

beforeAll(async () => {
  production = await h.variant({
    BASE_URL: base_url,
    ALLOW_LOCAL_WEBHOOKS: undefined,
    ALLOW_TEST_CLOCK: undefined,
    WELL_KNOWN_BASE_URL: undefined,
    MAIL_API_URL: undefined,
  })
  await new Promise<void>((resolve) => listener.listen(0, resolve))
  slug = (await h.newPlatform(await h.newOperator())).slug
})
afterAll(async () => {
  await production.stop()
  listener.close()
})

const register = (token: string, webhook_url: string) =>
  production.api('POST', '/platforms', { token, body: { slug: freshSlug(), name: 'p', webhook_url } })

/**
 * Stores a URL directly in the database, with a delivery whose last attempt is pending, and calls the relay for it, as
 * QStash does; returns the recorded attempt.
 */
async function attempt(webhook_url: string, at: Parameters<typeof askRelay>[0]): Promise<Body> {
  const own = freshSlug()
  await h.sql(
    `insert into platforms (id, operator_id, slug, name, webhook_url, webhook_secret, last_response_at, created_at)
     select gen_random_uuid(), operator_id, $1, name, $2, webhook_secret, created_at, created_at from platforms where slug = $3`,
    [own, webhook_url, slug],
  )
  const [{ id }] = await queueDeliveries(h, own, { attempt: LAST_ATTEMPT })
  const host = /^https?:\/\/([^/?#:]+)/i.exec(webhook_url)?.[1]?.toLowerCase() ?? null
  expect(await askRelay(at, id, LAST_ATTEMPT, host)).toMatchObject({ status: 200 })
  const [row] = await h.sql(
    `select a.error, a.duration_ms, a.response_status, d.status
     from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id where d.id = $1`,
    [id],
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
  it('is rejected when a platform is registered or changed, with the rule that it violates', async () => {
    const { id, token } = await h.newOperator()
    const webhook_url = 'https://hooks.example.com/'
    const { slug } = (await register(token, webhook_url)).body
    const change = (url: string) =>
      production.api('PATCH', `/platforms/${slug}`, { token, body: { webhook_url: url } })
    expectRejected(await Promise.all(rejected.map(({ url }) => register(token, url))))
    expectRejected(await Promise.all(rejected.map(({ url }) => change(url))))
    expect(await h.sql('select webhook_url from platforms where operator_id = $1', [id])).toEqual([
      { webhook_url },
    ])
  })

  it('is not confused with a valid one, which is stored exactly as sent', async () => {
    const { token } = await h.newOperator({ tier: 'business' })
    const responses = await Promise.all(accepted.map((url) => register(token, url)))
    expect(responses.map(({ body }) => body.webhook_url)).toEqual(accepted)
  })

  it('is not called even if it is in the database, in any notation of a loopback address', async () => {
    const at = { api: production.api, base_url }
    expect(await Promise.all(rejected.map(({ url }) => attempt(url, at)))).toEqual(
      rejected.map(({ problem }) => ({
        error: `webhook_url ${problem}`,
        duration_ms: 0,
        response_status: null,
        status: 'failed',
      })),
    )
    const { port } = listener.address() as AddressInfo
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '2130706433', '[::ffff:127.0.0.1]', 'localhost.'])
      for (const url of [`https://${host}:${port}/`, `http://${host}:${port}/`])
        expect(await attempt(url, at), url).toMatchObject({ status: 'failed', response_status: null })
    expect(reached).toBe(0)
  })
})
