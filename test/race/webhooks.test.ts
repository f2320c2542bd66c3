import { expect, it } from 'vitest'
import { HOUR_MS } from '../../src/lib/time.ts'
import { atOnce, WRITERS } from '../support/at-once.ts'
import { awayFromMidnight } from '../support/day.ts'
import {
  ago,
  askRelay,
  deliveriesOf,
  fillDeliveries,
  type Integration,
  newIntegration,
  queueDeliveries,
  RESOLVED,
} from '../support/deliveries.ts'
import { type Body, expectError, shared } from '../support/harness.ts'

const h = shared()
const { api, sql, newPlatform } = h

const queued = async ({ slug }: Body, attempt: number, count: number, data?: object): Promise<string[]> =>
  (await queueDeliveries(h, slug, { attempt, count, ...(data && { data }) })).map(({ id }) => id)

const deliver = async (id: string, attempt: number): Promise<number> =>
  (await askRelay(h, id, attempt)).status

const failSince = ({ slug }: Body, age: string) =>
  sql('update platforms set failing_since = now() - $2::interval where slug = $1', [slug, age])

it('sends an attempt once for twenty concurrent messages', async () => {
  await using integration = await newIntegration(h)
  const { operator, platform, receiver } = integration
  const [id = ''] = await queued(platform, 1, 1)
  const statuses = await atOnce(() => deliver(id, 1))
  expect(receiver.received).toHaveLength(1)
  expect(statuses).toContain(200)
  for (const status of statuses) expect([200, 503]).toContain(status)
  expect(await deliver(id, 1)).toBe(200)
  expect(receiver.received).toHaveLength(1)
  const [counted] = await sql('select unresponsive_attempts from operators where id = $1', [operator.id])
  expect(counted).toEqual({ unresponsive_attempts: 0 })
})

it('sends nothing for a message of no delivery, of one that has ended, or of an attempt that is not due or in progress', async () => {
  await using integration = await newIntegration(h)
  const { platform, receiver } = integration
  const [skipped] = await fillDeliveries(h, platform.slug, [{ status: 'skipped', at: ago(HOUR_MS) }])
  for (const id of [crypto.randomUUID(), skipped.id])
    expect(await askRelay(h, id, 1)).toMatchObject({ status: 200, body: { done: true } })
  const [id = ''] = await queued(platform, 1, 1)
  for (const attempt of [0, 6]) expectError(await askRelay(h, id, attempt), 400, 'VALIDATION_ERROR')
  await sql(
    `with d as (
       update webhook_deliveries set attempts = 1, lease_until = now() + interval '1 hour' where id = $1 returning id
     )
     insert into webhook_attempts (delivery_id, number, started_at) select id, 1, now() from d`,
    [id],
  )
  for (const [attempt, seconds] of [
    [1, /^3[56]\d\d$/],
    [3, /^5$/],
  ] as const) {
    const { status, headers } = await askRelay(h, id, attempt)
    expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(seconds)])
  }
  expect(receiver.received).toEqual([])
  expect((await deliveriesOf(h, platform)).map(({ status }) => status)).toEqual(['skipped', 'pending'])
})

it.each<[string, (integration: Integration) => Promise<unknown>]>([
  ['its platform is retired', ({ ask }) => ask('DELETE', '')],
  ['the operator of its platform is suspended', ({ operator }) => h.suspend(operator)],
])('skips a pending delivery if %s', async (_, end) => {
  await using integration = await newIntegration(h)
  const { platform, receiver } = integration
  await end(integration)
  const [id = ''] = await queued(platform, 1, 1)
  expect(await deliver(id, 1)).toBe(200)
  expect(receiver.received).toEqual([])
  expect(await deliveriesOf(h, platform)).toMatchObject([{ status: 'skipped', next_attempt_at: null }])
})

it('disables a webhook and notifies its operator once when many deliveries fail concurrently', async () => {
  await using integration = await newIntegration(h)
  const { operator, platform, receiver } = integration
  receiver.respond(500)
  await failSince(platform, '24 hours')
  const ids = await queued(platform, 5, WRITERS)
  expect(await Promise.all(ids.map((id) => deliver(id, 5)))).toEqual(Array(WRITERS).fill(200))
  const failed = await sql(
    "select d.id from webhook_deliveries d where d.id = any ($1::uuid[]) and d.status = 'failed'",
    [ids],
  )
  // Deliveries claimed after the webhook was disabled are skipped; it takes at least ten failures to disable it.
  expect(failed.length).toBeGreaterThanOrEqual(10)
  expect(receiver.received).toHaveLength(failed.length)
  expect(
    await sql('select webhook_status, consecutive_failures from platforms where slug = $1', [platform.slug]),
  ).toEqual([{ webhook_status: 'disabled', consecutive_failures: 10 }])
  const { body } = await api('GET', '/operators/me/notifications', { token: operator.token })
  expect(body.data.map(({ type }: Body) => type)).toEqual(['webhook_disabled'])
  const audit = await sql(
    "select from audit_log where operator_id = $1 and action = 'platform.webhook_disabled'",
    [operator.id],
  )
  expect(audit).toHaveLength(1)
})

it('counts each of many concurrent failures, and resets the count at a success', async () => {
  await using integration = await newIntegration(h)
  const { platform, receiver } = integration
  receiver.respond((n) => (n <= WRITERS || n === WRITERS + 2 ? 500 : 200))
  await failSince(platform, '23 hours 50 minutes') // it would be disabled after 24 hours
  const ids = await queued(platform, 5, WRITERS)
  await Promise.all(ids.map((id) => deliver(id, 5)))
  const webhookState = () =>
    sql(
      'select webhook_status, consecutive_failures, failing_since is null as fine from platforms where slug = $1',
      [platform.slug],
    )
  expect(await webhookState()).toEqual([
    { webhook_status: 'enabled', consecutive_failures: WRITERS, fine: false },
  ])
  for (const failures of [0, 1, 0]) {
    const [id = ''] = await queued(platform, 5, 1)
    await deliver(id, 5)
    expect(await webhookState()).toEqual([
      { webhook_status: 'enabled', consecutive_failures: failures, fine: failures === 0 },
    ])
  }
})

it('disables a webhook after 50 attempts without 2xx, which only a 2xx resets, not another URL', async () => {
  await using integration = await newIntegration(h)
  const { operator, platform, receiver } = integration
  receiver.respond(500)
  const change = (body: object) =>
    api('PATCH', `/platforms/${platform.slug}`, { token: operator.token, body })
  const webhookState = () =>
    sql(
      `select webhook_status, attempts_without_response, consecutive_failures from platforms
       where slug = $1 and failing_since is null`,
      [platform.slug],
    )
  // In groups that can all get the lock of one row within the statement timeout.
  for (const count of [WRITERS, WRITERS, 45 - 2 * WRITERS]) {
    await Promise.all((await queued(platform, 1, count)).map((id) => deliver(id, 1)))
    await change({ webhook_url: `${receiver.url}?after=${count}` })
  }
  expect(await webhookState()).toEqual([
    { webhook_status: 'enabled', attempts_without_response: 45, consecutive_failures: 0 },
  ])
  await Promise.all((await queued(platform, 2, WRITERS)).map((id) => deliver(id, 2)))
  expect(await webhookState()).toEqual([
    { webhook_status: 'disabled', attempts_without_response: 50, consecutive_failures: 0 },
  ])
  const { body } = await api('GET', '/operators/me/notifications', { token: operator.token })
  const text = expect.stringMatching(/^None of the last 50 attempts returned status 2xx\./)
  expect(body.data).toMatchObject([{ type: 'webhook_disabled', body: text }])

  await change({ webhook_status: 'enabled' })
  const [again = ''] = await queued(platform, 1, 1)
  expect(await deliver(again, 1)).toBe(200)
  expect(await webhookState()).toEqual([
    { webhook_status: 'disabled', attempts_without_response: 51, consecutive_failures: 0 },
  ])
  const enabled = await change({ webhook_status: 'enabled' })
  expect(enabled.body).toMatchObject({ attempts_without_response: 51, last_response_at: null })
  receiver.respond(200)
  const [id = ''] = await queued(platform, 1, 1)
  await deliver(id, 1)
  receiver.respond(500)
  await Promise.all((await queued(platform, 1, 55)).map((other) => deliver(other, 1)))
  expect(await webhookState()).toEqual([
    { webhook_status: 'enabled', attempts_without_response: 0, consecutive_failures: 0 },
  ])
})

it('makes at most 200 attempts per operator and UTC day to URLs that never return 2xx, whatever they are', async () => {
  await awayFromMidnight()
  await using integration = await newIntegration(h)
  const { operator, platform, receiver } = integration
  receiver.respond(500)
  const others = await Promise.all([1, 2].map(() => newPlatform(operator, { webhook_url: receiver.url })))
  const platforms = [platform, ...others]
  const attack = async (data?: object) => {
    for (const [n, platform] of platforms.entries()) {
      const body = {
        webhook_url: `${receiver.url}?${n}-${receiver.received.length}`,
        webhook_status: 'enabled',
      }
      const changed = await api('PATCH', `/platforms/${platform.slug}`, { token: operator.token, body })
      expect(changed.status).toBe(200)
      await Promise.all((await queued(platform, 1, WRITERS, data)).map((id) => deliver(id, 1)))
    }
  }
  for (let round = 1; round <= 4; round++) await attack()
  expect(receiver.received).toHaveLength(180) // the rest is reserved for test events
  await attack({ ...RESOLVED, test: true })
  expect(receiver.received).toHaveLength(200)
  const { body } = await api('GET', '/operators/me/notifications', { token: operator.token })
  const paused = body.data.filter(({ title }: Body) => /paused/.test(title))
  expect(paused).toMatchObject([
    { type: 'webhook_disabled', body: expect.stringContaining('Until 00:00 UTC') },
  ])
  const path = `/platforms/${platforms[0]?.slug}`
  await api('PATCH', path, { token: operator.token, body: { webhook_status: 'enabled' } })
  const tested = await api('POST', `${path}/webhook-test`, {
    token: operator.token,
    body: { type: 'incident.created' },
  })
  expectError(tested, 429, 'RATE_LIMITED', /at most 200 attempts/)
  expect(Number(tested.headers.get('retry-after'))).toBeGreaterThan(60)
})
