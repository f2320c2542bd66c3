import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keepSecrets } from '../../local/secrets.ts'
import { TOKEN } from '../../local/stand-ins/qstash/sign.ts'
import { seal } from '../../src/lib/crypto.ts'
import { LEASE_MS } from '../../src/webhooks/outbox/schedule.ts'
import { makeWebhookSecret, WEBHOOK_SECRET_PURPOSE } from '../../src/webhooks/relay/sign.ts'
import { type Body, type Operator, ownStack, type Receiver, startReceiver } from '../support/harness.ts'
import { acceptedWith, expectSigned } from '../support/signature.ts'

const SCHEDULE_SECONDS = [0, 60, 360, 2_160, 9_360] // interface, section 6.4, from the first attempt on
const TOLERANCE_SECONDS = 8 // four hops, each due at the next whole second, and a busy machine takes one more

// One clock for the whole file, moved by the tests alone; nothing here waits for real time but the 30 s time-out.
delete process.env.QSTASH_URL // the stand-in, whatever other QStash is named: these tests move its clock
const own = await ownStack()
const receivers: Receiver[] = []

beforeAll(() => own.qstash.setClock({ mode: 'virtual', stands: true })) // a slow machine is not late
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

it('tells a platform of an agent registered on it [delivery-1]', async () => {
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

it('tries five times, at 0, 1, 6, 36 and 156 minutes, signs each anew, then gives up [3h 8m delivery-5]', async () => {
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

it('stops at the first success [delivery-3]', async () => {
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

it('keeps the schedule where nobody listens [delivery-4]', async () => {
  const integration = await newIntegration({ webhook_url: 'http://127.0.0.1:9/closed' })
  await own.newAgent(integration.operator, { platform_slug: integration.platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 5 })
  const made = await attempts(integration)
  expectOnSchedule(made)
  expect(made).toHaveLength(5)
  expect(made[0]).toMatchObject({ response_status: null, error: 'connection failed' })
})

it('gives a receiver 30 seconds, which do not shift the next attempt [3h 8m]', async () => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  receiver.answer((n) => (n === 1 ? 'hang' : 200))
  await own.newAgent(operator, { platform_slug: platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 2 })
  const made = await attempts(integration)
  expectOnSchedule(made)
  expect(made).toMatchObject([{ response_status: null, error: 'timeout' }, { response_status: 200 }])
  expect(made[0].duration_ms).toBeGreaterThanOrEqual(29_900)
  expect(made[0].duration_ms).toBeLessThan(LEASE_MS)
})

it('reads of an answer of 100 MB little more than it keeps', async () => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  let sent = 0
  const chunk = Buffer.from('ä'.repeat(32_768))
  const body = Readable.from(
    (function* () {
      for (; sent < 100_000_000; sent += chunk.length) yield chunk
    })(),
  )
  receiver.answer({ status: 200, body })
  await own.newAgent(operator, { platform_slug: platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 1 })
  const [attempt] = await attempts(integration)
  expect(attempt.response_status).toBe(200)
  expect(attempt.response_excerpt).toBe('ä'.repeat(1_024))
  expect(sent).toBeLessThan(20_000_000) // buffers on the way
})

it('takes a closed connection for a failure, and tries again', async () => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  receiver.answer((n) => (n === 1 ? 'close' : 200))
  await own.newAgent(operator, { platform_slug: platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 2 })
  expect(await attempts(integration)).toMatchObject([
    { response_status: null, error: 'connection failed' },
    { response_status: 200, error: null },
  ])
  expect(receiver.received).toHaveLength(2)
})

describe('while two secrets are live', () => {
  const sealed = (secret: string) => seal(keepSecrets(own.dir).secrets_key, WEBHOOK_SECRET_PURPOSE, secret)
  const setSecrets = ({ platform }: Integration, newest: string, previous: string, until: Date) =>
    own.sql(
      `update platforms set webhook_secret = $2, previous_webhook_secret = $3, previous_webhook_secret_until = $4
       where slug = $1`,
      [platform.slug, newest, previous, until.toISOString()],
    )
  const DAY_MS = 86_400_000
  const signatures = ({ headers }: { headers: object }) =>
    String((headers as Record<string, string>)['webhook-signature']).split(' ')

  it('signs with both, the newest first, until the time of the older is over', async () => {
    const integration = await newIntegration()
    const { operator, platform, receiver } = integration
    const [older, newest] = [platform.webhook_secret, makeWebhookSecret()]
    const began = Date.parse((await own.qstash.clock()).now)
    receiver.answer(async (n) => {
      const until = new Date(began + 2 * 3_600_000) // between the fourth attempt and the fifth
      if (n === 1) await setSecrets(integration, await sealed(newest), await sealed(older), until)
      return 500
    })
    await own.newAgent(operator, { platform_slug: platform.slug })
    await own.qstash.runUntilIdle({ atLeast: 5 })
    const made = await attempts(integration)
    const accepted = receiver.received.map((webhook, n) =>
      [newest, older].map((secret) => acceptedWith(webhook, secret, made[n].started_at)),
    )
    const both = [true, true]
    expect(accepted).toEqual([[false, true], both, both, both, [true, false]])
    expect(receiver.received.map((webhook) => signatures(webhook).length)).toEqual([1, 2, 2, 2, 1])
    for (const [n, webhook] of receiver.received.entries()) {
      expectSigned(webhook, n === 0 ? older : newest, made[n].started_at)
      const first = {
        ...webhook,
        headers: { ...webhook.headers, 'webhook-signature': signatures(webhook)[0] },
      }
      expect(acceptedWith(first, n === 0 ? older : newest, made[n].started_at)).toBe(true)
    }
  })

  it('signs with the one that can be decrypted when the other cannot', async () => {
    const integration = await newIntegration()
    const { operator, platform, receiver } = integration
    const until = new Date(Date.parse((await own.qstash.clock()).now) + DAY_MS)
    const good = await sealed(platform.webhook_secret)
    for (const [newest, previous] of [
      [good, 'broken'],
      ['broken', good],
    ] as const) {
      await setSecrets(integration, newest, previous, until)
      await own.newAgent(operator, { platform_slug: platform.slug })
      await own.qstash.runUntilIdle({ atLeast: 1 })
      const webhook = receiver.received.at(-1)
      if (!webhook) throw new Error('no webhook')
      expectSigned(webhook, platform.webhook_secret, (await attempts(integration)).at(-1)?.started_at)
      expect(signatures(webhook)).toHaveLength(1)
    }
    expect(receiver.received).toHaveLength(2)
  })

  it('posts nothing that it cannot sign, and does not hold that against the platform', async () => {
    const integration = await newIntegration()
    const { operator, platform, receiver } = integration
    await setSecrets(integration, 'broken', 'broken', new Date(Date.now() + DAY_MS))
    await own.newAgent(operator, { platform_slug: platform.slug })
    await own.qstash.runUntilIdle({ atLeast: 5 })
    expect(receiver.received).toEqual([])
    expect(await deliveries(integration)).toMatchObject([{ status: 'failed', attempts: 5 }])
    expect((await attempts(integration))[4]).toMatchObject({ error: 'webhook secret cannot be decrypted' })
    expect(await standing(integration)).toMatchObject({ failed_in_row: 0 })
  })
})

const standing = async ({ platform }: Integration): Promise<Body> => {
  const [row] = await own.sql(
    'select webhook_status, failed_in_row, failing_since from platforms where slug = $1',
    [platform.slug],
  )
  return row
}

describe('a webhook that keeps failing', () => {
  const HOUR_MS = 3_600_000
  const clock = async () => new Date((await own.qstash.clock()).now)

  /** As many events at once: incidents of one agent, as of the virtual clock. */
  async function tell({ operator, platform }: Integration, count: number): Promise<void> {
    const now = await clock()
    const agent = await own.newAgent(operator, { platform_slug: platform.slug }, now)
    const { key } = await own.newKey(operator, undefined, {}, now)
    const events = Array.from({ length: count }, () => ({ reg: agent.reg, event_type: 'incident' }))
    const answer = await own.api('POST', '/activity/report/batch', { token: key, body: { events }, now })
    expect(answer.status).toBe(201)
  }
  const newFailing = async () => {
    const integration = await newIntegration({ event_types: ['incident.created'] })
    integration.receiver.answer(500)
    return integration
  }
  const notifications = async ({ operator }: Integration): Promise<Body[]> => {
    const { body } = await own.api('GET', '/operators/me/notifications', operator)
    return body.data.filter(({ type }: Body) => type === 'webhook_disabled')
  }
  const audit = ({ operator, platform }: Integration) =>
    own.sql(
      `select from audit_log l join platforms p on p.slug = l.target
       where l.operator_id = $1 and l.action = 'platform.webhook_disabled' and p.slug = $2`,
      [operator.id, platform.slug],
    )
  const statuses = async (integration: Integration) =>
    (await deliveries(integration)).map(({ status }) => status)

  it('is disabled by the tenth delivery in a row that fails, a day after the first [webhook-1 delivery-2]', async () => {
    const integration = await newFailing()
    const { operator, platform, receiver } = integration
    await own.api('PATCH', '/operators/me', {
      token: operator.token,
      body: { notification_prefs: { trust_alerts: false, incident_alerts: false, kyc_reminders: false } },
    })
    await tell(integration, 9)
    await own.qstash.runUntilIdle({ atLeast: 45 })
    expect(await standing(integration)).toMatchObject({ webhook_status: 'enabled', failed_in_row: 9 })
    await own.qstash.advance(24 * HOUR_MS)
    await tell(integration, 1)
    await expect.poll(own.qstash.messages).toHaveLength(1)
    await own.qstash.advance(HOUR_MS)
    await tell(integration, 1)
    await expect.poll(own.qstash.messages).toHaveLength(2)
    await own.qstash.runUntilIdle()
    expect(await standing(integration)).toMatchObject({ webhook_status: 'disabled', failed_in_row: 10 })
    expect(await statuses(integration)).toEqual([...Array(10).fill('failed'), 'skipped'])
    expect((await deliveries(integration)).at(-1)).toMatchObject({ next_attempt_at: null, lease_until: null })
    const [notification, ...others] = await notifications(integration)
    expect(others).toEqual([])
    expect(notification).toMatchObject({
      title: 'Webhook of Platform disabled',
      body: expect.stringMatching(
        new RegExp(
          `^10 deliveries in a row have failed since .* UTC\\. .*PATCH /platforms/${platform.slug} `,
        ),
      ),
      reg: null,
    })
    expect(await audit(integration)).toHaveLength(1)

    const posted = receiver.received.length
    await tell(integration, 2)
    await own.qstash.runUntilIdle()
    expect(receiver.received).toHaveLength(posted)
    expect((await statuses(integration)).slice(-2)).toEqual(['skipped', 'skipped'])
  })

  it('stays enabled when so many fail within a day, and when one succeeds in between [webhook-3]', async () => {
    const integration = await newFailing()
    await tell(integration, 12)
    await own.qstash.runUntilIdle({ atLeast: 60 })
    expect(await standing(integration)).toMatchObject({ webhook_status: 'enabled', failed_in_row: 12 })
    await own.qstash.advance(24 * HOUR_MS)
    integration.receiver.answer(200)
    await tell(integration, 1)
    await own.qstash.runUntilIdle({ atLeast: 1 })
    expect(await standing(integration)).toEqual({
      webhook_status: 'enabled',
      failed_in_row: 0,
      failing_since: null,
    })
    integration.receiver.answer(500)
    await tell(integration, 9)
    await own.qstash.runUntilIdle({ atLeast: 45 })
    expect(await standing(integration)).toMatchObject({ webhook_status: 'enabled', failed_in_row: 9 })
    expect(await notifications(integration)).toEqual([])
  })

  it('is disabled by a 410 at once, which ends the delivery [webhook-2]', async () => {
    const integration = await newFailing()
    integration.receiver.answer(410)
    await tell(integration, 1)
    await own.qstash.runUntilIdle({ atLeast: 1 })
    expect(await deliveries(integration)).toMatchObject([
      { status: 'failed', attempts: 1, next_attempt_at: null },
    ])
    expect(await standing(integration)).toMatchObject({ webhook_status: 'disabled' })
    expect(await notifications(integration)).toMatchObject([{ body: expect.stringContaining('410 Gone') }])
    expect(await audit(integration)).toHaveLength(1)
    expect(integration.receiver.received).toHaveLength(1)
  })

  it('is not disabled by the answer of an address that it has left meanwhile [webhook-4]', async () => {
    const integration = await newFailing()
    const { platform, receiver } = integration
    receiver.answer(async () => {
      await own.sql("update platforms set webhook_url = webhook_url || '/new' where slug = $1", [
        platform.slug,
      ])
      return 410
    })
    await tell(integration, 1)
    await own.qstash.runUntilIdle({ atLeast: 1 })
    expect(await deliveries(integration)).toMatchObject([{ status: 'failed' }])
    expect(await standing(integration)).toMatchObject({ webhook_status: 'enabled', failed_in_row: 0 })
  })

  it('is not forgiven for the answer of an address that it has left meanwhile', async () => {
    const integration = await newFailing()
    const { platform, receiver } = integration
    receiver.answer(async () => {
      await own.sql(
        `update platforms set webhook_url = webhook_url || '/new', failed_in_row = 7, failing_since = created_at
         where slug = $1`,
        [platform.slug],
      )
      return 200
    })
    await tell(integration, 1)
    await own.qstash.runUntilIdle({ atLeast: 1 })
    expect(await deliveries(integration)).toMatchObject([{ status: 'delivered' }])
    expect(await standing(integration)).toMatchObject({
      failed_in_row: 7,
      failing_since: expect.any(Date),
    })
  })
})

it('publishes what others wait for when one platform has twenty thousand overdue', async () => {
  const [crowded, other] = [await newIntegration(), await newIntegration()]
  const overdue = (integration: Integration, count: number, interval: string) =>
    own.sql(
      `with e as (
         insert into webhook_events (id, type, created_at, data)
         select 'evt_' || replace($1, '-', ''), 'agent.updated', now() - $3::interval, '{}' returning id, type, created_at
       )
       insert into webhook_deliveries (id, event_id, platform_id, type, status, next_attempt_at, created_at)
       select gen_random_uuid(), e.id, p.id, e.type, 'pending', e.created_at, e.created_at
       from e, platforms p, generate_series(1, $2) where p.slug = $1`,
      [integration.platform.slug, count, interval],
    )
  const published = async ({ platform }: Integration): Promise<number> => {
    const rows = await own.sql(
      `select from webhook_deliveries d join platforms p on p.id = d.platform_id
       where p.slug = $1 and d.published_at is not null`,
      [platform.slug],
    )
    return rows.length
  }
  await overdue(crowded, 20_000, '1 hour')
  await overdue(other, 1, '2 minutes')
  await own.cron(new Date())
  expect(await published(other)).toBe(1)
  expect(await published(crowded)).toBeGreaterThanOrEqual(4_000)
  expect(await published(crowded)).toBeLessThan(20_000)
  await fetch(`${own.qstash_url}/v2/messages`, {
    method: 'DELETE',
    headers: { Authorization: `Bearer ${TOKEN}` },
  })
})
