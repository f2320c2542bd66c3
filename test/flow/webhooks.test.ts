import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, it } from 'vitest'
import type { Body } from '../support/harness.ts'
import { expectSigned } from '../support/signature.ts'

import { webhookStack } from './webhooks.ts'

const SCHEDULE_SECONDS = [0, 60, 360, 2_160, 9_360] // interface, section 6.4, since the first attempt
const TOLERANCE_SECONDS = 8 // four retries, each due at the next whole second, and time for a slow machine

const own = await webhookStack()
const { newIntegration, deliveries, attempts } = own
afterAll(own.stop)

/** Seconds from the first attempt to each attempt. */
const offsets = (made: Body[]) => made.map(({ started_at }) => (started_at - made[0].started_at) / 1000)

function expectOnSchedule(made: Body[]): void {
  expect(made.map(({ number }) => number)).toEqual(
    SCHEDULE_SECONDS.slice(0, made.length).map((_, n) => n + 1),
  )
  for (const [n, offset] of offsets(made).entries()) {
    expect(offset).toBeGreaterThanOrEqual(SCHEDULE_SECONDS[n] ?? 0)
    expect(offset).toBeLessThan((SCHEDULE_SECONDS[n] ?? 0) + TOLERANCE_SECONDS)
  }
}

it('sends a platform an event about an agent registered on it', async () => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  const agent = await own.newAgent(operator, {
    name: 'Ümläut 🤖',
    description: 'says "hello"',
    class: 'H',
    specializations: ['a', 'b'],
    platform_slug: platform.slug,
  })
  await own.qstash.runUntilIdle({ atLeast: 1 })
  const [webhook] = await receiver.arrival(1)
  if (!webhook) throw new Error('unreachable')
  expectSigned(webhook, platform.webhook_secret)
  const { body: me } = await own.api('GET', '/operators/me', { token: operator.token })
  expect(webhook.event).toEqual({
    id: expect.any(String),
    type: 'agent.registered',
    created_at: agent.registered_at,
    data: {
      reg: agent.reg,
      name: 'Ümläut 🤖',
      description: 'says "hello"',
      class: 'H',
      status: 'active',
      specializations: ['a', 'b'],
      ownership_status: 'unverified',
      domain: null,
      trust_score_overall: null,
      trust_score_updated: null,
      tasks_completed: 0,
      operator_name: me.name,
      operator_name_verified: false,
      platform_slug: platform.slug,
      platform_state: 'confirmed',
      registered_at: agent.registered_at,
    },
  })
  expect(await deliveries(integration)).toMatchObject([
    { status: 'delivered', attempts: 1, lease_until: null },
  ])
  expect(await attempts(integration)).toMatchObject([{ number: 1, response_status: 200, error: null }])
})

it('sends no event about an agent without a platform', async () => {
  const { operator, receiver } = await newIntegration()
  await own.newAgent(operator)
  await own.qstash.runUntilIdle()
  expect(receiver.received).toEqual([])
})

it('sends only the event types that a platform has selected', async () => {
  const { operator, platform, receiver } = await newIntegration({ event_types: ['incident.created'] })
  const agent = await own.newAgent(operator, { platform_slug: platform.slug })
  const { key } = await own.newKey(operator)
  const metadata = { title: 'Leak', description: 'It told a secret' }
  await own.report(key, agent.reg, { event_type: 'incident', severity: 'warning', metadata })
  await own.qstash.runUntilIdle({ atLeast: 1 })
  expect(receiver.received.map(({ event }) => event)).toEqual([
    {
      id: expect.any(String),
      type: 'incident.created',
      created_at: expect.any(String),
      data: {
        incident_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        reg: agent.reg,
        title: 'Leak',
        severity: 'warning',
        status: 'open',
        description: 'It told a secret',
        source: 'self',
        reported_by: 'operator',
        platform: null,
      },
    },
  ])
})

it('sends the platform one event for each new score', async () => {
  const { operator, platform, receiver } = await newIntegration({ event_types: ['trust.updated'] })
  const agent = await own.newAgent(operator, { platform_slug: platform.slug })
  const { key } = await own.newKey(operator)
  const metadata = { response_ms: 1_200, quality: 0.95 }
  for (let n = 0; n < 12; n++) await own.report(key, agent.reg, { metadata })
  await own.cron()
  await own.cron()
  await own.qstash.runUntilIdle({ atLeast: 1 })
  const { body: score } = await own.api('GET', `/agents/${agent.reg}/trust-score`)
  const [webhook] = receiver.received
  if (!webhook) throw new Error('no webhook')
  expectSigned(webhook, platform.webhook_secret)
  const { reliability, accuracy, safety, speed, consistency } = score
  expect(webhook.event.data).toEqual({
    reg: agent.reg,
    previous_score: 0,
    new_score: score.overall,
    dimensions: { reliability, accuracy, safety, speed, consistency },
  })
  expect(receiver.received).toHaveLength(1)

  await own.report(key, agent.reg, { event_type: 'task_failed', severity: 'error' })
  await own.cron()
  await own.qstash.runUntilIdle({ atLeast: 1 })
  expect(receiver.received[1]?.event.data).toMatchObject({ previous_score: score.overall })
})

it('makes five attempts, at 0, 1, 6, 36 and 156 minutes, each with a new signature, then stops', async () => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  receiver.respond({ status: 500, headers: { 'Retry-After': '7' }, body: 'no\u0000pe' })
  await own.newAgent(operator, { platform_slug: platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 5 })

  const made = await attempts(integration)
  expect(made).toHaveLength(5)
  expectOnSchedule(made)
  for (const attempt of made)
    expect(attempt).toMatchObject({ response_status: 500, response_excerpt: 'no\uFFFDpe' })
  expect(receiver.received).toHaveLength(5)
  for (const [n, webhook] of receiver.received.entries()) {
    const { started_at } = made[n]
    expectSigned(webhook, platform.webhook_secret, started_at)
    expect(Number(webhook.headers['x-reg-timestamp'])).toBe(Math.floor(started_at / 1000))
  }
  expect(new Set(receiver.received.map(({ raw }) => raw)).size).toBe(1)
  expect(new Set(receiver.received.map(({ headers }) => headers['x-reg-signature'])).size).toBe(5)
  const [delivery] = await deliveries(integration)
  expect(delivery).toMatchObject({ status: 'failed', attempts: 5, next_attempt_at: null, delivered_at: null })

  const { now } = await own.qstash.clock()
  await own.cron(new Date(Date.parse(now) + 30 * 86_400_000))
  await own.qstash.runUntilIdle()
  expect(receiver.received).toHaveLength(5)
})

it('schedules later attempts from a retry-now attempt, which is made once', async () => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  receiver.respond(500)
  await own.newAgent(operator, { platform_slug: platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 1, limitMs: 1_000 })
  await own.qstash.advance(10_000)
  const [{ id }] = await deliveries(integration)
  const { now } = await own.qstash.clock()
  const path = `/platforms/${platform.slug}/deliveries/${id}/retry-now`
  const retry = () => own.api('POST', path, { token: operator.token, now: new Date(now) })
  const { body } = await retry()
  expect(body).toMatchObject({ id, status: 'pending', attempts: 1 })
  expect(Date.parse(body.next_attempt_at) - Date.parse(now)).toBeLessThan(TOLERANCE_SECONDS * 1000)
  await expect.poll(() => own.qstash.messages()).toHaveLength(2) // the scheduled one is still there
  await own.qstash.runUntilIdle({ atLeast: 5 })
  const made = await attempts(integration)
  const [first, second = 0, ...later] = offsets(made)
  expect([first, second]).toEqual([0, expect.closeTo(10, -1)])
  for (const [n, offset] of later.entries()) {
    const late = offset - second - ((SCHEDULE_SECONDS[n + 2] ?? 0) - 60)
    expect(late).toBeGreaterThan(-0.001) // the two times are rounded to milliseconds
    expect(late).toBeLessThan(TOLERANCE_SECONDS)
  }
  expect(receiver.received).toHaveLength(5)
})

it('stops at the first success', async () => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  receiver.respond((n) => (n < 3 ? 503 : 204))
  await own.newAgent(operator, { platform_slug: platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 3 })
  expectOnSchedule(await attempts(integration))
  expect(receiver.received).toHaveLength(3)
  expect(await deliveries(integration)).toMatchObject([{ status: 'delivered', attempts: 3 }])
})

it.each([300, 302, 400, 404, 429, 599])(
  'counts status %s as a failure, and follows no redirect',
  async (status) => {
    const integration = await newIntegration()
    const { operator, platform, receiver } = integration
    receiver.respond((n) => (n === 1 ? { status, headers: { Location: receiver.url } } : 200))
    await own.newAgent(operator, { platform_slug: platform.slug })
    await own.qstash.runUntilIdle({ atLeast: 2 })
    expect(await attempts(integration)).toMatchObject([{ response_status: status }, { response_status: 200 }])
    expect(receiver.received).toHaveLength(2)
  },
)

it('keeps the schedule when the connection is refused', async () => {
  const integration = await newIntegration({ webhook_url: 'http://127.0.0.1:9/closed' })
  await own.newAgent(integration.operator, { platform_slug: integration.platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 5 })
  const made = await attempts(integration)
  expectOnSchedule(made)
  expect(made).toHaveLength(5)
  expect(made[0]).toMatchObject({ response_status: null, error: 'connection failed' })
})

it('counts the time to the next attempt from the start of a slow one', async () => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  const slowMs = 1.25 * TOLERANCE_SECONDS * 1000
  receiver.respond(async (n) => {
    if (n === 1) await sleep(slowMs)
    return n === 1 ? 500 : 200
  })
  await own.newAgent(operator, { platform_slug: platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 2 })
  const made = await attempts(integration)
  expectOnSchedule(made)
  expect(made).toMatchObject([{ response_status: 500 }, { response_status: 200 }])
  expect(made[0].duration_ms).toBeGreaterThanOrEqual(slowMs)
})

it('reads only the start of a response of 100 MB', async () => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  let sent = 0
  const chunk = Buffer.from('ä'.repeat(32_768))
  const body = Readable.from(
    (function* () {
      for (; sent < 100_000_000; sent += chunk.length) yield chunk
    })(),
  )
  receiver.respond({ status: 200, body })
  await own.newAgent(operator, { platform_slug: platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 1 })
  const [attempt] = await attempts(integration)
  expect(attempt.response_status).toBe(200)
  expect(attempt.response_excerpt).toBe('ä'.repeat(1_024))
  expect(sent).toBeLessThan(20_000_000) // allows for buffers on the way
})

it('counts a closed connection as a failure, and retries', async () => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  receiver.respond((n) => (n === 1 ? 'close' : 200))
  await own.newAgent(operator, { platform_slug: platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 2 })
  expect(await attempts(integration)).toMatchObject([
    { response_status: null, error: 'connection failed' },
    { response_status: 200, error: null },
  ])
  expect(receiver.received).toHaveLength(2)
})
