import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TOKEN } from '../../local/qstash/sign.ts'
import { type Body, type Operator, ownStack, type Receiver, startReceiver } from '../harness.ts'
import { expectSigned } from '../signature.ts'

const SCHEDULE_SECONDS = [0, 60, 360, 2_160, 9_360] // interface, section 6.4, from the first attempt on
const TOLERANCE_SECONDS = 4 // what a slow machine adds, and whole seconds

// One clock for the whole file, moved by the tests alone; nothing here waits for real time but the 30 s time-out.
const own = await ownStack()
const receivers: Receiver[] = []

beforeAll(() => own.qstash.setClock({ mode: 'virtual' }))
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.stop()))
  await own.stop()
})

interface Integration {
  operator: Operator
  platform: Body
  receiver: Receiver
}

async function newIntegration(fields: object = {}): Promise<Integration> {
  const receiver = await startReceiver()
  receivers.push(receiver)
  const operator = await own.newOperator({ tier: 'pro' })
  const platform = await own.newPlatform(operator, { webhook_url: receiver.url, ...fields })
  return { operator, platform, receiver }
}

const deliveries = ({ platform }: Integration): Promise<Body[]> =>
  own.sql(
    `select d.id, e.type, d.status, d.attempts::integer, d.next_attempt_at, d.lease_until, d.delivered_at
     from webhook_deliveries d join webhook_events e on e.id = d.event_id
     join platforms p on p.id = d.platform_id where p.slug = $1 order by d.created_at`,
    [platform.slug],
  )

const attempts = ({ platform }: Integration): Promise<Body[]> =>
  own.sql(
    `select a.number::integer, a.started_at, a.duration_ms, a.response_status, a.error, a.response_excerpt
     from webhook_attempts a join webhook_deliveries d on d.id = a.delivery_id
     join platforms p on p.id = d.platform_id where p.slug = $1 order by a.delivery_id, a.number`,
    [platform.slug],
  )

/** Seconds from the first attempt to each. */
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

it('tells a platform of an agent registered on it', async () => {
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
      trust_score_overall: null,
      tasks_completed: 0,
      operator_name: me.name,
      registered_at: agent.registered_at,
    },
  })
  expect(await deliveries(integration)).toMatchObject([
    { status: 'delivered', attempts: 1, lease_until: null },
  ])
  expect(await attempts(integration)).toMatchObject([{ number: 1, response_status: 200, error: null }])
})

it('tells nobody of an agent without a platform', async () => {
  const { operator, receiver } = await newIntegration()
  await own.newAgent(operator)
  await own.qstash.runUntilIdle()
  expect(receiver.received).toEqual([])
})

it('sends only the types that a platform has asked for', async () => {
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
      },
    },
  ])
})

it('tells the platform when a score was computed, once', async () => {
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

it('tries five times, at 0, 1, 6, 36 and 156 minutes, signs each anew, then gives up', async () => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  receiver.answer({ status: 500, headers: { 'Retry-After': '7' }, body: 'no\u0000pe' })
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

it('stops at the first success', async () => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  receiver.answer((n) => (n < 3 ? 503 : 204))
  await own.newAgent(operator, { platform_slug: platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 3 })
  expectOnSchedule(await attempts(integration))
  expect(receiver.received).toHaveLength(3)
  expect(await deliveries(integration)).toMatchObject([{ status: 'delivered', attempts: 3 }])
})

it.each([300, 302, 400, 404, 429, 599])('takes %s for a failure, and follows no redirect', async (status) => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  receiver.answer((n) => (n === 1 ? { status, headers: { Location: receiver.url } } : 200))
  await own.newAgent(operator, { platform_slug: platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 2 })
  expect(await attempts(integration)).toMatchObject([{ response_status: status }, { response_status: 200 }])
  expect(receiver.received).toHaveLength(2)
})

it('keeps the schedule where nobody listens', async () => {
  const integration = await newIntegration({ webhook_url: 'http://127.0.0.1:9/closed' })
  await own.newAgent(integration.operator, { platform_slug: integration.platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 5 })
  const made = await attempts(integration)
  expectOnSchedule(made)
  expect(made).toHaveLength(5)
  expect(made[0]).toMatchObject({ response_status: null, error: 'connection failed' })
})

it('gives a receiver 30 seconds, which do not shift the next attempt', async () => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  receiver.answer((n) => (n === 1 ? 'hang' : 200))
  await own.newAgent(operator, { platform_slug: platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 2 })
  const made = await attempts(integration)
  expectOnSchedule(made)
  expect(made).toMatchObject([{ response_status: null, error: 'timeout' }, { response_status: 200 }])
  expect(made[0].duration_ms).toBeGreaterThanOrEqual(29_900)
  expect(made[0].duration_ms).toBeLessThan(32_000)
}, 60_000)

it('reads no more of an answer than it keeps', async () => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  receiver.answer({ status: 200, body: 'ä'.repeat(1_000_000) })
  await own.newAgent(operator, { platform_slug: platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 1 })
  const [attempt] = await attempts(integration)
  expect(attempt.response_status).toBe(200)
  expect(Buffer.byteLength(attempt.response_excerpt)).toBeLessThanOrEqual(2_050)
})

describe('when the Worker dies during a POST', () => {
  const CUT_OFF = { response_status: null, error: 'outcome unknown' }

  /** Lets the Worker die while the receiver holds attempt `deadly`; QStash is not yet about to call again. */
  async function dieDuring(deadly: number, integration: Integration): Promise<void> {
    const { operator, platform, receiver } = integration
    receiver.answer((n) => (n === deadly ? 'hang' : 500))
    await own.newAgent(operator, { platform_slug: platform.slug })
    const limitMs = ((SCHEDULE_SECONDS[deadly - 1] ?? 0) + 2 * TOLERANCE_SECONDS) * 1000
    const run = own.qstash.runUntilIdle({ atLeast: deadly, limitMs })
    await receiver.arrival(deadly)
    await own.stack.worker.kill()
    await run
    await own.stack.restartWorker()
  }

  function expectFiveOnce(made: Body[], deadly: number): void {
    expect(made).toMatchObject(
      [1, 2, 3, 4, 5].map((number) => ({
        number,
        ...(number === deadly ? CUT_OFF : { response_status: 500 }),
      })),
    )
  }

  it.each([1, 3, 5])('makes none twice, none late, and no sixth: attempt %i', async (deadly) => {
    const integration = await newIntegration()
    await dieDuring(deadly, integration)
    await own.qstash.runUntilIdle()
    const made = await attempts(integration)
    expectFiveOnce(made, deadly)
    expectOnSchedule(made)
    expect(integration.receiver.received).toHaveLength(5)
    expect(await deliveries(integration)).toMatchObject([{ status: 'failed', attempts: 5 }])
  })

  it.each([1, 4])(
    'goes on after the next sweep when QStash forgets the message too: attempt %i',
    async (deadly) => {
      const integration = await newIntegration()
      await dieDuring(deadly, integration)
      const headers = { Authorization: `Bearer ${TOKEN}` }
      await fetch(`${own.qstash_url}/v2/messages`, { method: 'DELETE', headers })
      await own.qstash.advance(120_000)
      await own.cron(new Date((await own.qstash.clock()).now))
      await own.qstash.runUntilIdle({ atLeast: 1 })
      expectFiveOnce(await attempts(integration), deadly)
      expect(integration.receiver.received).toHaveLength(5)
    },
  )
})
