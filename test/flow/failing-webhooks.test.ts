import { afterAll, describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, utcDay } from '../../src/lib/time.ts'
import { type Body, expectError } from '../support/harness.ts'
import { auditOf } from '../support/platforms.ts'
import { type Integration, webhookStack } from './webhooks.ts'

const own = await webhookStack()
// From midnight UTC, so that the attempts of one day do not end in the next.
await own.qstash.setClock({ mode: 'virtual', now: `${utcDay(new Date(Date.now() + DAY_MS))}T00:00:00Z` })
const { newIntegration, deliveries, webhookState } = own
afterAll(own.stop)

const now = async () => new Date((await own.qstash.clock()).now)
const ask = async ({ operator, platform }: Integration, method: string, below: string, body?: object) =>
  own.api(method, `/platforms/${platform.slug}${below}`, { token: operator.token, body, now: await now() })
const register = async ({ operator, platform }: Integration) =>
  own.newAgent(operator, { platform_slug: platform.slug }, await now())
const inOrder = async (integration: Integration): Promise<string[]> =>
  (await deliveries(integration)).map(({ status }) => status)
const statuses = async (integration: Integration) => (await inOrder(integration)).sort()
const attemptsOf = async ({ operator }: Integration) =>
  (await own.sql('select unresponsive_attempts as n from operators where id = $1', [operator.id]))[0].n

/** As if the operator's platforms had made all attempts of a day to URLs that never return 2xx that are not for tests. */
async function useUp({ operator }: Integration, laterMs = 0): Promise<void> {
  await own.sql('update operators set unresponsive_day = $2, unresponsive_attempts = 180 where id = $1', [
    operator.id,
    utcDay(new Date((await now()).getTime() + laterMs)),
  ])
}

const change = ({ operator, platform }: Integration, body: object) =>
  own.api('PATCH', `/platforms/${platform.slug}`, { token: operator.token, body })

it('makes an attempt in the flow of the host that it is sent to, although the URL was changed after it was published', async () => {
  const integration = await newIntegration()
  const { operator, platform, receiver } = integration
  const [before, after] = [receiver.url, receiver.url.replace('127.0.0.1', 'localhost')]
  const sent: object[] = []
  receiver.respond(async (_, { headers }) => {
    const flying = (await own.qstash.messages()).filter(({ inFlight }: { inFlight: boolean }) => inFlight)
    sent.push({ host: headers.host, flows: flying.map(({ flowControlKey }) => flowControlKey) })
    await change(integration, { webhook_url: sent.length % 2 ? after : before })
    return 500
  })
  await own.newAgent(operator, { platform_slug: platform.slug })
  await own.qstash.runUntilIdle({ atLeast: 5 })
  const hosts = [before, after, before, after, before].map((url) => new URL(url))
  expect(sent).toEqual(hosts.map(({ host, hostname }) => ({ host, flows: [`${operator.id}_${hostname}`] })))
  expect(await deliveries(integration)).toMatchObject([{ status: 'failed', attempts: 5 }])
  expect(await attemptsOf(integration)).toBe(5)
})

it('lets an operator at the daily limit prove a mended URL with a test event, and recover the skipped events', async () => {
  const integration = await newIntegration()
  const { receiver } = integration
  await useUp(integration)
  const since = await now()
  await register(integration)
  const [skipped] = await deliveries(integration)
  expect(skipped).toMatchObject({ status: 'skipped', attempts: 0, next_attempt_at: null })
  const endOfDay = `${utcDay(new Date(since.getTime() + DAY_MS))}T00:00:00.000Z`
  expect((await ask(integration, 'GET', '')).body).toMatchObject({
    webhook_status: 'enabled',
    webhook_paused_until: endOfDay,
  })
  for (const [below, body] of [
    [`/deliveries/${skipped?.id}/redeliver`],
    ['/deliveries/recover', { since }],
  ] as const) {
    const rejected = await ask(integration, 'POST', below, body)
    expectError(rejected, 429, 'RATE_LIMITED', /once it returns 2xx to a test event/)
  }

  expect(await ask(integration, 'POST', '/webhook-test', { type: 'agent.registered' })).toMatchObject({
    status: 202,
  })
  expect(await own.qstash.runUntilIdle({ atLeast: 1 })).toMatchObject({ delivered: 1 })
  expect((await ask(integration, 'GET', '')).body).toMatchObject({
    webhook_paused_until: null,
    last_response_at: expect.any(String),
  })
  expect((await ask(integration, 'POST', '/deliveries/recover', { since })).body).toEqual({
    count: 1,
    more: false,
  })
  await register(integration)
  await own.qstash.runUntilIdle({ atLeast: 2 })
  expect(await statuses(integration)).toEqual(['delivered', 'delivered', 'delivered', 'skipped'])
  expect(receiver.received).toHaveLength(3)
  expect(await attemptsOf(integration)).toBe(180) // attempts that return 2xx do not count
})

it('skips a due attempt above the daily limit, and makes attempts again on the next day', async () => {
  const integration = await newIntegration()
  integration.receiver.respond(500)
  await register(integration)
  await own.qstash.runUntilIdle({ atLeast: 1, limitMs: 0 })
  await useUp(integration)
  await own.qstash.runUntilIdle({ atLeast: 1 })
  expect(await deliveries(integration)).toMatchObject([
    { status: 'skipped', attempts: 1, next_attempt_at: null },
  ])
  await own.qstash.advance(DAY_MS)
  integration.receiver.respond(200)
  await register(integration)
  await own.qstash.runUntilIdle({ atLeast: 1 })
  expect(await statuses(integration)).toEqual(['delivered', 'skipped'])
})

it('does not take an attempt that began before midnight and returns 2xx after it off the attempts of the next day', async () => {
  const integration = await newIntegration()
  integration.receiver.respond(async () => {
    await useUp(integration, DAY_MS)
    return 200
  })
  await register(integration)
  await own.qstash.runUntilIdle({ atLeast: 1 })
  expect(await statuses(integration)).toEqual(['delivered'])
  expect(await attemptsOf(integration)).toBe(180)
})

describe('a webhook that keeps failing', () => {
  /** Reports incidents of one agent in one batch, at the time of the virtual clock. */
  async function reportIncidents({ operator, platform }: Integration, count: number): Promise<void> {
    const at = await now()
    const agent = await own.newAgent(operator, { platform_slug: platform.slug }, at)
    const { key } = await own.newKey(operator, undefined, {}, at)
    await own.reportBatch(key, Array(count).fill({ reg: agent.reg, event_type: 'incident' }), at)
  }
  const newFailing = async () => {
    const integration = await newIntegration({ event_types: ['incident.created'] })
    integration.receiver.respond(500)
    const { slug } = integration.platform
    // As if it had worked before.
    await own.sql(`update platforms set last_response_at = created_at - interval '1 hour' where slug = $1`, [
      slug,
    ])
    return integration
  }
  const notifications = async ({ operator }: Integration): Promise<Body[]> => {
    const { body } = await own.api('GET', '/operators/me/notifications', operator)
    return body.data.filter(({ type }: Body) => type === 'webhook_disabled')
  }
  const audit = ({ operator }: Integration) => auditOf(own, operator, 'platform.webhook_disabled')

  it('is disabled by the tenth consecutive failed delivery, a day after the first', async () => {
    const integration = await newFailing()
    const { operator, platform, receiver } = integration
    await own.api('PATCH', '/operators/me', {
      token: operator.token,
      body: { notification_prefs: { trust_alerts: false, incident_alerts: false, kyc_reminders: false } },
    })
    await reportIncidents(integration, 9)
    await own.qstash.runUntilIdle({ atLeast: 45 })
    expect(await webhookState(integration)).toMatchObject({
      webhook_status: 'enabled',
      consecutive_failures: 9,
      attempts_without_response: 0,
    })
    expect(await attemptsOf(integration)).toBe(0)
    await own.qstash.advance(24 * HOUR_MS)
    await reportIncidents(integration, 1)
    await expect.poll(own.qstash.messages).toHaveLength(1)
    await own.qstash.advance(HOUR_MS)
    await reportIncidents(integration, 1)
    await expect.poll(own.qstash.messages).toHaveLength(2)
    await own.qstash.runUntilIdle()
    expect(await webhookState(integration)).toMatchObject({
      webhook_status: 'disabled',
      consecutive_failures: 10,
    })
    expect(await inOrder(integration)).toEqual([...Array(10).fill('failed'), 'skipped'])
    expect((await deliveries(integration)).at(-1)).toMatchObject({ next_attempt_at: null, lease_until: null })
    const [notification, ...others] = await notifications(integration)
    expect(others).toEqual([])
    expect(notification).toMatchObject({
      title: 'Webhook of Platform disabled',
      body: expect.stringMatching(
        new RegExp(
          `^10 deliveries in a row have failed since .* UTC\\. .*PATCH /platforms/${platform.slug}\\)`,
        ),
      ),
      reg: null,
    })
    expect(await audit(integration)).toMatchObject([{ target: integration.platform.slug }])

    const posted = receiver.received.length
    await reportIncidents(integration, 2)
    await own.qstash.runUntilIdle()
    expect(receiver.received).toHaveLength(posted)
    expect((await inOrder(integration)).slice(-2)).toEqual(['skipped', 'skipped'])
  })

  it('is disabled by a 410 at once, which ends the delivery, until it is enabled', async () => {
    const integration = await newFailing()
    integration.receiver.respond(410)
    await reportIncidents(integration, 1)
    await own.qstash.runUntilIdle({ atLeast: 1 })
    expect(await deliveries(integration)).toMatchObject([
      { status: 'failed', attempts: 1, next_attempt_at: null },
    ])
    expect(await webhookState(integration)).toMatchObject({ webhook_status: 'disabled' })
    expect(await notifications(integration)).toMatchObject([
      { body: expect.stringContaining('returned status 410') },
    ])
    expect(await audit(integration)).toMatchObject([{ target: integration.platform.slug }])

    integration.receiver.respond(200)
    await reportIncidents(integration, 1)
    const { body } = await ask(integration, 'PATCH', '', { webhook_status: 'enabled' })
    expect(body).toMatchObject({ webhook_status: 'enabled', consecutive_failures: 0, failing_since: null })
    await reportIncidents(integration, 1)
    await own.qstash.runUntilIdle({ atLeast: 1 })
    expect(await statuses(integration)).toEqual(['delivered', 'failed', 'skipped'])
    expect(integration.receiver.received).toHaveLength(2)
    const sent = (await deliveries(integration)).find(({ status }) => status === 'delivered')
    expect((await ask(integration, 'GET', '')).body.last_response_at).toBe(sent?.delivered_at.toISOString())
  })

  it.each([
    [410, 'failed'],
    [200, 'delivered'],
  ])(
    'is not judged by a response %i of a URL that was replaced during the request',
    async (status, outcome) => {
      const integration = await newFailing()
      integration.receiver.respond(async () => {
        await own.sql(
          `update platforms set webhook_url = webhook_url || '/new', consecutive_failures = 7, failing_since = created_at
         where slug = $1`,
          [integration.platform.slug],
        )
        return status
      })
      await reportIncidents(integration, 1)
      await own.qstash.runUntilIdle({ atLeast: 1 })
      expect(await inOrder(integration)).toEqual([outcome])
      expect(await webhookState(integration)).toEqual({
        webhook_status: 'enabled',
        consecutive_failures: 7,
        failing_since: expect.any(Date),
        attempts_without_response: 0,
      })
    },
  )
})

it('publishes a delivery of one platform although another has twenty thousand overdue', async () => {
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
  await own.qstash.clear()
})
