import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { readSecrets } from '../../local/secrets.ts'
import { seal } from '../../src/lib/crypto.ts'
import { DAY_MS, HOUR_MS } from '../../src/lib/time.ts'
import { makeWebhookSecret, WEBHOOK_SECRET_PURPOSE } from '../../src/lib/webhook-signature.ts'
import type { Body } from '../support/harness.ts'
import { acceptedWith, expectSigned } from '../support/signature.ts'
import { type Integration, webhookStack } from './webhooks.ts'

const SCHEDULE_SECONDS = [0, 60, 360, 2_160, 9_360] // since the first attempt: docs/use/webhooks.md, "Retries"
const TOLERANCE_SECONDS = 8 // four retries, each due at the next whole second, and time for a slow machine

const own = await webhookStack()
const { newIntegration, deliveries, attempts, webhookState } = own
afterAll(own.stop)

/** Registers an agent on the platform, and makes all attempts; returns the last webhook that its first URL received. */
async function register({ operator, platform, receiver }: Integration, atLeast = 1) {
  await own.newAgent(operator, { platform_slug: platform.slug })
  await own.qstash.runUntilIdle({ atLeast })
  const webhook = receiver.received.at(-1)
  if (!webhook) throw new Error('no webhook')
  return webhook
}

/** Seconds from the first attempt to each attempt. */
const offsets = (made: Body[]) => made.map(({ started_at }) => (started_at - made[0].started_at) / 1000)

function expectOnSchedule(made: Body[]): void {
  expect(made.map(({ number }) => number)).toEqual(made.map((_, n) => n + 1))
  for (const [n, offset] of offsets(made).entries()) {
    expect(offset).toBeGreaterThanOrEqual(SCHEDULE_SECONDS[n] ?? 0)
    expect(offset).toBeLessThan((SCHEDULE_SECONDS[n] ?? 0) + TOLERANCE_SECONDS)
  }
}

it('sends a platform an event about an agent registered on it, and none about others', async () => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  await own.newAgent(operator)
  const fields = {
    name: 'Ümläut 🤖',
    description: 'says "hello"',
    class: 'H',
    specializations: ['a', 'b'],
    platform_slug: platform.slug,
  }
  const { reg, registered_at } = await own.newAgent(operator, fields)
  await own.qstash.runUntilIdle({ atLeast: 1 })
  const [webhook, ...others] = receiver.received
  if (!webhook) throw new Error('no webhook')
  expect(others).toEqual([])
  expectSigned(webhook, platform.webhook_secret)
  const { body: me } = await own.api('GET', '/operators/me', { token: operator.token })
  expect(webhook.event).toEqual({
    id: expect.any(String),
    type: 'agent.registered',
    created_at: registered_at,
    data: {
      reg,
      ...fields,
      status: 'active',
      ownership_status: 'unverified',
      domain: null,
      trust_score_overall: null,
      trust_score_updated: null,
      tasks_completed: 0,
      operator_name: me.name,
      operator_name_verified: false,
      platform_state: 'confirmed',
      registered_at,
    },
  })
  expect(await deliveries(integration)).toMatchObject([
    { status: 'delivered', attempts: 1, lease_until: null },
  ])
  expect(await attempts(integration)).toMatchObject([{ number: 1, response_status: 200, error: null }])
})

it('applies a changed URL and changed event types at once, also to what is pending', async () => {
  const [integration, { receiver: after }] = [await newIntegration(), await newIntegration()]
  const { operator, platform, receiver: before } = integration
  const { token } = operator
  const change = (body: object) => own.api('PATCH', `/platforms/${platform.slug}`, { token, body })
  await register(integration)
  await change({ webhook_url: after.url, event_types: ['incident.created'] })
  await register(integration, 0)
  const { reg } = await own.newAgent(operator, { platform_slug: platform.slug })
  const metadata = { title: 'Leak', description: 'It told a secret' }
  await own.report((await own.newKey(operator)).key, reg, {
    event_type: 'incident',
    severity: 'warning',
    metadata,
  })
  await own.qstash.runUntilIdle({ atLeast: 1 })
  await change({ event_types: null })
  await own.newAgent(operator, { platform_slug: platform.slug })
  await change({ webhook_url: null })
  await register(integration, 1)
  expect((await deliveries(integration)).map(({ status }) => status)).toEqual([
    'delivered',
    'delivered',
    'skipped',
  ])
  const counted = await own.sql('select unresponsive_attempts from operators where id = $1', [operator.id])
  expect(counted).toEqual([{ unresponsive_attempts: 0 }])
  expect(before.received.map(({ event }) => event.type)).toEqual(['agent.registered'])
  expect(after.received.map(({ event }) => event)).toEqual([
    {
      id: expect.any(String),
      type: 'incident.created',
      created_at: expect.any(String),
      data: {
        incident_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        reg,
        ...metadata,
        severity: 'warning',
        status: 'open',
        source: 'self',
        reported_by: 'operator',
        platform: null,
      },
    },
  ])
})

describe('attempts', () => {
  it('are made five times, at 0, 1, 6, 36 and 156 minutes, each with a new signature', async () => {
    const integration = await newIntegration()
    const { platform, receiver } = integration
    receiver.respond({ status: 500, headers: { 'Retry-After': '7' }, body: 'no\u0000pe' })
    await register(integration, 5)
    const made = await attempts(integration)
    expect(made).toHaveLength(5)
    expectOnSchedule(made)
    for (const attempt of made)
      expect(attempt).toMatchObject({ response_status: 500, response_excerpt: 'no\uFFFDpe' })
    for (const [n, webhook] of receiver.received.entries()) {
      const { started_at } = made[n]
      expectSigned(webhook, platform.webhook_secret, started_at)
      expect(Number(webhook.headers['x-reg-timestamp'])).toBe(Math.floor(started_at / 1000))
    }
    expect(new Set(receiver.received.map(({ raw }) => raw)).size).toBe(1)
    expect(new Set(receiver.received.map(({ headers }) => headers['x-reg-signature'])).size).toBe(5)
    const failed = { status: 'failed', attempts: 5, next_attempt_at: null, delivered_at: null }
    expect(await deliveries(integration)).toMatchObject([failed])

    const { now } = await own.qstash.clock()
    await own.cron(new Date(Date.parse(now) + 30 * DAY_MS))
    await own.qstash.runUntilIdle()
    expect(receiver.received).toHaveLength(5)
  })

  it('fail with a redirect, which is not followed, an error, or no response, and end with a success', async () => {
    const integration = await newIntegration()
    const { receiver } = integration
    const outcomes = [302, 404, 429, 'close'] as const
    receiver.respond((n) => {
      const outcome = outcomes[n - 1] ?? 204
      return outcome === 'close' ? outcome : { status: outcome, headers: { Location: receiver.url } }
    })
    await register(integration, 5)
    const made = await attempts(integration)
    expectOnSchedule(made)
    const responses = made.map(({ response_status, error }) => error ?? response_status)
    expect(responses).toEqual([302, 404, 429, 'connection failed', 204])
    expect(receiver.received).toHaveLength(5)
    expect(await deliveries(integration)).toMatchObject([{ status: 'delivered', attempts: 5 }])
  })

  it('are scheduled from one by retry-now, which is made once', async () => {
    const integration = await newIntegration()
    const { operator, platform, receiver } = integration
    receiver.respond(500)
    await own.newAgent(operator, { platform_slug: platform.slug })
    await own.qstash.runUntilIdle({ atLeast: 1, limitMs: 1_000 })
    await own.qstash.advance(10_000)
    const [{ id, publish_count }] = await deliveries(integration)
    expect(publish_count).toBe(1) // of the second attempt
    const { now } = await own.qstash.clock()
    const path = `/platforms/${platform.slug}/deliveries/${id}/retry-now`
    const { body } = await own.api('POST', path, { token: operator.token, now: new Date(now) })
    expect(body).toMatchObject({ id, status: 'pending', attempts: 1 })
    expect(Date.parse(body.next_attempt_at) - Date.parse(now)).toBeLessThan(TOLERANCE_SECONDS * 1000)
    await expect.poll(() => own.qstash.messages()).toHaveLength(2) // the scheduled one is still there
    const published = { published_at: expect.any(Date), publish_count: 3 } // moved, then published
    await expect.poll(() => deliveries(integration)).toMatchObject([published])
    await own.qstash.runUntilIdle({ atLeast: 5 })
    const [first, second = 0, ...later] = offsets(await attempts(integration))
    expect([first, second]).toEqual([0, expect.closeTo(10, -1)])
    for (const [n, offset] of later.entries()) {
      const late = offset - second - ((SCHEDULE_SECONDS[n + 2] ?? 0) - 60)
      expect(late).toBeGreaterThan(-0.001) // the two times are rounded to milliseconds
      expect(late).toBeLessThan(TOLERANCE_SECONDS)
    }
    expect(receiver.received).toHaveLength(5)
  })

  it('are scheduled from the start of a slow one', async () => {
    const integration = await newIntegration()
    const slowMs = 1.25 * TOLERANCE_SECONDS * 1000
    integration.receiver.respond(async (n) => {
      if (n === 1) await sleep(slowMs)
      return n === 1 ? 500 : 200
    })
    await register(integration, 2)
    const made = await attempts(integration)
    expectOnSchedule(made)
    expect(made).toMatchObject([{ response_status: 500 }, { response_status: 200 }])
    expect(made[0].duration_ms).toBeGreaterThanOrEqual(slowMs)
  })

  it('read only the start of a response of 100 MB', async () => {
    const integration = await newIntegration()
    let sent = 0
    const chunk = Buffer.from('ä'.repeat(32_768))
    const body = Readable.from(
      (function* () {
        for (; sent < 100_000_000; sent += chunk.length) yield chunk
      })(),
    )
    integration.receiver.respond({ status: 200, body })
    await register(integration)
    const [attempt] = await attempts(integration)
    expect(attempt).toMatchObject({ response_status: 200, response_excerpt: 'ä'.repeat(1_024) })
    expect(sent).toBeLessThan(20_000_000) // allows for buffers on the way
  })

  it('end after 8 KiB of a response that goes on', async () => {
    const integration = await newIntegration()
    const body = new Readable({ read: () => undefined })
    body.push('x'.repeat(8_192))
    integration.receiver.respond({ status: 200, body })
    await register(integration)
    expect(await attempts(integration)).toMatchObject([{ response_status: 200, error: null }])
  })
})

describe('the signature', () => {
  const sealed = (secret: string) => seal(readSecrets(own.dir).secrets_key, WEBHOOK_SECRET_PURPOSE, secret)
  const setSecrets = ({ platform }: Integration, newest: string, previous: string, until: Date) =>
    own.sql(
      `update platforms set webhook_secret = $2, previous_webhook_secret = $3, previous_webhook_secret_until = $4
       where slug = $1`,
      [platform.slug, newest, previous, until.toISOString()],
    )
  const signatures = ({ headers }: { headers: object }) =>
    String((headers as Record<string, string>)['webhook-signature']).split(' ')
  const now = async () => new Date((await own.qstash.clock()).now)
  const inADay = async () => new Date((await now()).getTime() + DAY_MS)

  it('is made with both secrets, newest first, until the older one expires', async () => {
    const integration = await newIntegration()
    const { platform, receiver } = integration
    const [older, newest] = [platform.webhook_secret, makeWebhookSecret()]
    const began = Date.parse((await own.qstash.clock()).now)
    receiver.respond(async (n) => {
      const until = new Date(began + 2 * HOUR_MS) // between the fourth attempt and the fifth
      if (n === 1) await setSecrets(integration, await sealed(newest), await sealed(older), until)
      return 500
    })
    await register(integration, 5)
    const made = await attempts(integration)
    const accepted = receiver.received.map((webhook, n) =>
      [newest, older].map((secret) => acceptedWith(webhook, secret, made[n].started_at)),
    )
    const both = [true, true]
    expect(accepted).toEqual([[false, true], both, both, both, [true, false]])
    expect(receiver.received.map((webhook) => signatures(webhook).length)).toEqual([1, 2, 2, 2, 1])
    for (const [n, webhook] of receiver.received.entries()) {
      expectSigned(webhook, n === 0 ? older : newest, made[n].started_at)
      const headers = { ...webhook.headers, 'webhook-signature': signatures(webhook)[0] }
      expect(acceptedWith({ ...webhook, headers }, n === 0 ? older : newest, made[n].started_at)).toBe(true)
    }
  })

  it('is made with the secret that can be decrypted when the other cannot', async () => {
    const integration = await newIntegration()
    const good = await sealed(integration.platform.webhook_secret)
    for (const [newest, previous] of [
      [good, 'broken'],
      ['broken', good],
    ] as const) {
      await setSecrets(integration, newest, previous, await inADay())
      const webhook = await register(integration)
      const { started_at } = (await attempts(integration)).at(-1) ?? {}
      expectSigned(webhook, integration.platform.webhook_secret, started_at)
      expect(signatures(webhook)).toHaveLength(1)
    }
  })

  it('is required: nothing is sent without it, and the platform is not counted as failing', async () => {
    const integration = await newIntegration()
    const { operator, platform, receiver } = integration
    await setSecrets(integration, 'broken', 'broken', await inADay())
    await own.newAgent(operator, { platform_slug: platform.slug })
    await own.qstash.runUntilIdle({ atLeast: 5 })
    expect(receiver.received).toEqual([])
    expect(await deliveries(integration)).toMatchObject([{ status: 'failed', attempts: 5 }])
    expect((await attempts(integration))[4]).toMatchObject({ error: 'webhook secret cannot be decrypted' })
    expect(await webhookState(integration)).toMatchObject({ consecutive_failures: 0 })
  })
})
