import { randomUUID } from 'node:crypto'
import { afterAll, expect, it } from 'vitest'
import { askRelay } from '../support/deliveries.ts'
import { type Body, type Operator, type Receiver, shared, startReceiver } from '../support/harness.ts'

const h = shared()
const { api, sql, newOperator, newPlatform } = h
const WRITERS = 20
const INCIDENT = {
  incident_id: randomUUID(),
  reg: 'REG-2026-0001-0001-0',
  title: 'Leak',
  severity: 'warning',
  status: 'open',
  description: 'It told a secret',
}

const receivers: Receiver[] = []
afterAll(() => Promise.all(receivers.map((receiver) => receiver.stop())))

async function newIntegration(): Promise<{ operator: Operator; platform: Body; receiver: Receiver }> {
  const receiver = await startReceiver()
  receivers.push(receiver)
  const operator = await newOperator()
  return { operator, receiver, platform: await newPlatform(operator, { webhook_url: receiver.url }) }
}

/** Inserts deliveries whose next attempt is `attempt`, without publishing them to QStash; returns their ids. */
async function queued({ slug }: Body, attempt: number, count: number): Promise<string[]> {
  const rows = await sql(
    `with e as (
       insert into webhook_events (id, type, created_at, data)
       values ('evt_' || $4, 'incident.created', now(), $5) returning id, type, created_at
     )
     insert into webhook_deliveries (id, event_id, platform_id, type, status, attempts, next_attempt_at, published_at, created_at)
     select gen_random_uuid(), e.id, p.id, e.type, 'pending', $2::integer - 1, e.created_at, e.created_at, e.created_at
     from e, platforms p, generate_series(1, $3::integer) where p.slug = $1 returning id`,
    [slug, attempt, count, randomUUID().replaceAll('-', ''), INCIDENT],
  )
  return rows.map(({ id }) => id)
}

const deliver = async (id: string, attempt: number): Promise<number> =>
  (await askRelay(h, id, attempt)).status

it('sends an attempt once for twenty concurrent messages', async () => {
  const { platform, receiver } = await newIntegration()
  const [id = ''] = await queued(platform, 1, 1)
  const statuses = await Promise.all(Array.from({ length: WRITERS }, () => deliver(id, 1)))
  expect(receiver.received).toHaveLength(1)
  expect(statuses).toContain(200)
  for (const status of statuses) expect([200, 503]).toContain(status)
  expect(await deliver(id, 1)).toBe(200)
  expect(receiver.received).toHaveLength(1)
})

it('disables a webhook and notifies its operator once when many deliveries fail concurrently', async () => {
  const { operator, platform, receiver } = await newIntegration()
  receiver.respond(500)
  await sql("update platforms set failing_since = now() - interval '25 hours' where slug = $1", [
    platform.slug,
  ])
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
    await sql('select webhook_status, failed_in_row from platforms where slug = $1', [platform.slug]),
  ).toEqual([{ webhook_status: 'disabled', failed_in_row: 10 }])
  const { body } = await api('GET', '/operators/me/notifications', { token: operator.token })
  expect(body.data.map(({ type }: Body) => type)).toEqual(['webhook_disabled'])
  const audit = await sql(
    "select from audit_log where operator_id = $1 and action = 'platform.webhook_disabled'",
    [operator.id],
  )
  expect(audit).toHaveLength(1)
})

it('counts each of many concurrent failures, and resets the count at a success', async () => {
  const { platform, receiver } = await newIntegration()
  receiver.respond((n) => (n <= WRITERS ? 500 : 200))
  const ids = await queued(platform, 5, WRITERS)
  await Promise.all(ids.map((id) => deliver(id, 5)))
  const webhookState = () =>
    sql(
      'select webhook_status, failed_in_row, failing_since is null as fine from platforms where slug = $1',
      [platform.slug],
    )
  expect(await webhookState()).toEqual([{ webhook_status: 'enabled', failed_in_row: WRITERS, fine: false }])
  const [id = ''] = await queued(platform, 3, 1)
  await deliver(id, 3)
  expect(await webhookState()).toEqual([{ webhook_status: 'enabled', failed_in_row: 0, fine: true }])
})

it('disables a URL that never responded after 50 attempts, and counts again from 0 when it is enabled', async () => {
  const { operator, platform, receiver } = await newIntegration()
  receiver.respond(500)
  const webhookState = () =>
    sql('select webhook_status, unanswered_attempts, failed_in_row from platforms where slug = $1', [
      platform.slug,
    ])
  // In groups that can all get the lock of one row within the statement timeout.
  for (const count of [WRITERS, WRITERS, 45 - 2 * WRITERS]) {
    await Promise.all((await queued(platform, 1, count)).map((id) => deliver(id, 1)))
  }
  expect(await webhookState()).toEqual([
    { webhook_status: 'enabled', unanswered_attempts: 45, failed_in_row: 0 },
  ])
  await Promise.all((await queued(platform, 2, WRITERS)).map((id) => deliver(id, 2)))
  expect(await webhookState()).toEqual([
    { webhook_status: 'disabled', unanswered_attempts: 50, failed_in_row: 0 },
  ])
  const { body } = await api('GET', '/operators/me/notifications', { token: operator.token })
  const text = expect.stringMatching(/never returned status 2xx, in 50 attempts/)
  expect(body.data).toMatchObject([{ type: 'webhook_disabled', body: text }])
  const enabled = await api('PATCH', `/platforms/${platform.slug}`, {
    token: operator.token,
    body: { webhook_status: 'enabled' },
  })
  expect(enabled.body).toMatchObject({ unanswered_attempts: 0, answered_at: null })
  receiver.respond(200)
  const [id = ''] = await queued(platform, 1, 1)
  await deliver(id, 1)
  receiver.respond(500)
  await Promise.all((await queued(platform, 1, 55)).map((other) => deliver(other, 1)))
  expect(await webhookState()).toEqual([
    { webhook_status: 'enabled', unanswered_attempts: 0, failed_in_row: 0 },
  ])
})
