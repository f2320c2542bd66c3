import { afterAll, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, utcDay } from '../../src/lib/time.ts'
import { expectError } from '../support/harness.ts'
import { type Integration, webhookStack } from './webhooks.ts'

const own = await webhookStack()
const { newIntegration, deliveries } = own
afterAll(own.stop)

const now = async () => new Date((await own.qstash.clock()).now)
const ask = async ({ operator, platform }: Integration, method: string, below: string, body?: object) =>
  own.api(method, `/platforms/${platform.slug}${below}`, { token: operator.token, body, now: await now() })
const register = async ({ operator, platform }: Integration) =>
  own.newAgent(operator, { platform_slug: platform.slug }, await now())
const statuses = async (integration: Integration): Promise<string[]> =>
  (await deliveries(integration)).map(({ status }) => status).sort()
const attemptsOf = async ({ operator }: Integration) =>
  (await own.sql('select unresponsive_attempts as n from operators where id = $1', [operator.id]))[0].n

/** As if the operator's platforms had made all attempts of today to URLs that never return 2xx that are not for tests. */
async function useUp({ operator }: Integration): Promise<void> {
  await own.sql('update operators set unresponsive_day = $2, unresponsive_attempts = 180 where id = $1', [
    operator.id,
    utcDay(await now()),
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
})

it('lets an operator at the daily limit prove a mended URL with a test event, and recover the skipped events', async () => {
  const integration = await newIntegration()
  const { receiver } = integration
  await useUp(integration)
  const since = await now()
  await register(integration)
  const [skipped] = await deliveries(integration)
  expect(skipped).toMatchObject({ status: 'skipped', attempts: 0 })
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
  await own.qstash.runUntilIdle({ atLeast: 1 })
  expect((await ask(integration, 'GET', '')).body).toMatchObject({
    webhook_paused_until: null,
    last_response_at: expect.any(String),
  })
  expect((await ask(integration, 'POST', '/deliveries/recover', { since })).body).toEqual({
    count: 1,
    more: false,
  })
  await own.qstash.runUntilIdle({ atLeast: 1 })
  expect(await statuses(integration)).toEqual(['delivered', 'delivered', 'skipped'])
  expect(receiver.received).toHaveLength(2)
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

it('never counts attempts to a URL that has returned 2xx, so that a receiver can be down for days', async () => {
  const integration = await newIntegration({ event_types: ['agent.registered'] })
  const { receiver } = integration
  await register(integration)
  await own.qstash.runUntilIdle({ atLeast: 1 })
  receiver.respond(500)
  const down = await now()
  for (let n = 0; n < 11; n++) {
    await register(integration)
    await own.qstash.runUntilIdle({ atLeast: 5 })
    await own.qstash.advance(2 * HOUR_MS)
  }
  expect((await ask(integration, 'GET', '')).body).toMatchObject({
    webhook_status: 'disabled',
    attempts_without_response: 0,
    consecutive_failures: 10,
    webhook_paused_until: null,
  })
  expect(await attemptsOf(integration)).toBe(0)

  receiver.respond(200)
  expect((await ask(integration, 'PATCH', '', { webhook_status: 'enabled' })).status).toBe(200)
  expect((await ask(integration, 'POST', '/deliveries/recover', { since: down })).body).toEqual({
    count: 11,
    more: false,
  })
  await own.qstash.runUntilIdle({ atLeast: 11 })
  expect((await statuses(integration)).filter((status) => status === 'delivered')).toHaveLength(12)
})
