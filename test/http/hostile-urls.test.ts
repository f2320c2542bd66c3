import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SIGNING_KEYS, signDelivery } from '../../local/stand-ins/qstash/sign.ts'
import { type Answer, type Body, expectError, freshSlug, shared, startReceiver } from '../support/harness.ts'
import vectors from '../vectors/hostile-urls.json' with { type: 'json' }

const CALLS_A_SESSION = 100 // a session may make 120 calls a minute
const LAST_ATTEMPT = 5 // nothing is published after it
const NEVER = '9999-01-01T00:00:00Z' // keeps a delivery from the sweep, which other tests set off

const h = shared()
const { taken } = vectors
const base_url = vectors.base_url.replace('https:', 'http:') // with https, the stack's own settings are refused
const notJudged = vectors.not_judged_by_name.urls
const refused = vectors.refused.map(({ url, reason }) => ({
  url,
  problem: vectors.reasons[reason as keyof typeof vectors.reasons],
}))

// The table is judged under the rules of production: no http on this machine, a host of our own.
let production: Awaited<ReturnType<typeof h.variant>>
/** A listener on loopback that nobody may reach. */
let listener: Server & { reached: number }

beforeAll(async () => {
  production = await h.variant({
    BASE_URL: base_url,
    ALLOW_LOCAL_WEBHOOKS: undefined,
    ALLOW_TEST_CLOCK: undefined,
    WELL_KNOWN_BASE_URL: undefined,
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
  if (!address || typeof address === 'string') throw new Error('the listener does not listen')
  return address.port
}

/** Names of this machine at the listener's port, https and http. */
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

/** Does something for each, ten at a time; answers in order. */
async function inTens<T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const done: R[] = []
  for (let start = 0; start < items.length; start += 10) {
    const some = items.slice(start, start + 10).map((item, n) => work(item, start + n))
    done.push(...(await Promise.all(some)))
  }
  return done
}

/** Calls `send` for each, with a fresh operator's token for every hundred. */
async function eachWithToken<T>(items: readonly T[], send: (token: string, item: T) => Promise<Answer>) {
  const tokens: string[] = []
  for (let start = 0; start < items.length; start += CALLS_A_SESSION) {
    tokens.push((await h.newOperator({ tier: 'business' })).token)
  }
  return inTens(items, async (item, n) => ({
    item,
    answer: await send(tokens[Math.floor(n / CALLS_A_SESSION)] ?? '', item),
  }))
}

const register = (token: string, webhook_url: string) =>
  production.api('POST', '/platforms', { token, body: { slug: freshSlug(), name: 'p', webhook_url } })

/** Puts a URL into the database behind the service's back, with a delivery that waits for its last attempt. */
async function plant(webhook_url: string): Promise<string> {
  const ids = {
    platform: randomUUID(),
    event: `evt_${randomUUID().replaceAll('-', '')}`,
    delivery: randomUUID(),
  }
  const { slug } = await owner()
  const created = new Date().toISOString()
  await h.sql(
    `insert into platforms (id, operator_id, slug, name, webhook_url, webhook_secret, created_at)
     select $1, operator_id, $2, name, $3, webhook_secret, created_at from platforms where slug = $4`,
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
  return ids.delivery
}

let ownerOnce: Promise<Body> | undefined
const owner = (): Promise<Body> => {
  ownerOnce ??= h.newOperator().then((operator) => h.newPlatform(operator))
  return ownerOnce
}

/** Makes the last attempt of a planted delivery, as QStash would ask for it; answers what was written down. */
async function attempt(delivery_id: string, at: { api: typeof h.api; base: string }): Promise<Body> {
  const body = JSON.stringify({ delivery_id, attempt: LAST_ATTEMPT })
  const url = `${at.base}/internal/qstash/deliver`
  const signature = await signDelivery(url, Buffer.from(body), SIGNING_KEYS.current)
  const headers = { 'Upstash-Signature': signature }
  expect(await at.api('POST', '//internal/qstash/deliver', { body, headers })).toMatchObject({ status: 200 })
  const [row] = await h.sql(
    `select a.error, a.duration_ms, a.response_status, d.status
     from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id where d.id = $1`,
    [delivery_id],
  )
  return row
}

function expectRefused(answers: { item: (typeof refused)[number]; answer: Answer }[]): void {
  expect(answers.map(({ item, answer }) => ({ url: item.url, body: answer.body }))).toEqual(
    refused.map(({ url, problem }) => ({
      url,
      body: { error: { code: 'VALIDATION_ERROR', message: `webhook_url: ${problem}`, status: 400 } },
    })),
  )
}

describe('a hostile webhook URL', () => {
  it('is in a table with every reason, and next to URLs that are taken', () => {
    expect(refused.length).toBeGreaterThanOrEqual(60)
    expect(new Set(vectors.refused.map(({ reason }) => reason))).toEqual(
      new Set(Object.keys(vectors.reasons)),
    )
  })

  it('is refused when a platform is registered, with the rule that it breaks', async () => {
    const answers = await eachWithToken(refused, (token, { url }) => register(token, url))
    expectRefused(answers)
    const stored = await h.sql('select webhook_url from platforms where webhook_url = any ($1)', [
      refused.map(({ url }) => url),
    ])
    expect(stored).toEqual([])
  }, 60_000)

  it('is refused when a platform is changed, which keeps the URL that it had', async () => {
    const webhook_url = 'https://hooks.example.com/'
    const slugs = new Map<string, Promise<string>>()
    const slugOf = (token: string): Promise<string> => {
      const body = { slug: freshSlug(), name: 'p', webhook_url }
      const slug =
        slugs.get(token) ?? production.api('POST', '/platforms', { token, body }).then(() => body.slug)
      slugs.set(token, slug)
      return slug
    }
    const answers = await eachWithToken(refused, async (token, { url }) =>
      production.api('PATCH', `/platforms/${await slugOf(token)}`, { token, body: { webhook_url: url } }),
    )
    expectRefused(answers)
    const stored = await h.sql('select webhook_url from platforms where slug = any ($1)', [
      await Promise.all(slugs.values()),
    ])
    expect(stored).toEqual([...slugs].map(() => ({ webhook_url })))
  }, 60_000)

  it('is not taken for another: what follows the rules is registered as it was written [2.7b]', async () => {
    const answers = await eachWithToken([...taken, ...notJudged], register)
    expect(answers.map(({ answer }) => answer.body.webhook_url)).toEqual([...taken, ...notJudged])
  })

  it('is not called when it is in the database all the same', async () => {
    const outcomes = await inTens(refused, async ({ url }) => ({
      url,
      ...(await attempt(await plant(url), { api: production.api, base: base_url })),
    }))
    expect(outcomes).toEqual(
      refused.map(({ url, problem }) => ({
        url,
        error: `webhook_url ${problem}`,
        duration_ms: 0,
        response_status: null,
        status: 'failed',
      })),
    )
  }, 60_000)

  it.each(['http://0.0.0.0:9/', 'http://[::1]:9/', 'http://127.0.0.2:9/'])(
    'is no address of the machine on which local webhooks are allowed, but the one: %s',
    async (webhook_url) => {
      const { token } = await h.newOperator()
      const body = { slug: freshSlug(), name: 'p', webhook_url }
      expectError(
        await h.api('POST', '/platforms', { token, body }),
        400,
        'VALIDATION_ERROR',
        /^webhook_url: /,
      )
    },
  )

  it('reaches no listener on this machine, however its address is written', async () => {
    const { token } = await h.newOperator()
    await inTens(listenerUrls(), async (url) => {
      expectError(await register(token, url), 400, 'VALIDATION_ERROR', /^webhook_url: must /)
      const outcome = await attempt(await plant(url), { api: production.api, base: base_url })
      expect(outcome, url).toMatchObject({
        error: expect.stringMatching(/^webhook_url must /),
        status: 'failed',
      })
    })
    expect(listener.reached).toBe(0)
  }, 60_000)

  it.each([301, 302, 303, 307, 308])('is not reached by a redirect with %i', async (status) => {
    const receiver = await startReceiver({ checked: false })
    try {
      receiver.answer({ status, headers: { Location: `http://127.0.0.1:${listenerPort()}/` } })
      const outcome = await attempt(await plant(receiver.url), { api: h.api, base: h.base_url })
      expect(outcome).toMatchObject({ error: null, response_status: status, status: 'failed' })
      expect(receiver.received).toHaveLength(1)
      expect(listener.reached).toBe(0)
    } finally {
      await receiver.stop()
    }
  })
})
