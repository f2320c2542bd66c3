import { expect, it } from 'vitest'
import { TOKEN } from '../../local/stand-ins/qstash/sign.ts'
import { HOUR_MS } from '../../src/lib/time.ts'
import { atOnce, statusesOf, WRITERS } from '../support/at-once.ts'
import { ago, deliveriesOf, fillDeliveries, newIntegration, type Sent } from '../support/deliveries.ts'
import { eventually } from '../support/fill.ts'
import { type Body, shared } from '../support/harness.ts'
import { holdOpen } from '../support/hold-open.ts'

const h = shared()

const since = () => ago(24 * HOUR_MS).toISOString()

/** The number of deliveries of each event. */
const perEvent = (all: Body[]) =>
  [...Map.groupBy(all, ({ event_id }) => event_id).values()].map(({ length }) => length)

it('recovers each event once for twenty concurrent requests', async () => {
  await using integration = await newIntegration(h)
  const { platform, receiver, ask } = integration
  const sent = Array.from(
    { length: 40 },
    (_, n): Sent => ({ status: n % 2 === 0 ? 'failed' : 'skipped', at: ago(HOUR_MS + n) }),
  )
  await fillDeliveries(h, platform.slug, sent)
  const body = { since: since() }
  // On a busy machine, the last of them can wait for the lock longer than Postgres lets them.
  const recover = async (): Promise<Body> => {
    const response = await ask('POST', '/deliveries/recover', { body })
    return response.status === 503 ? recover() : response
  }
  const responses = await atOnce(recover)
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  const counts = responses.map((response) => response.body.count).sort((a, b) => b - a)
  expect(counts).toEqual([40, ...Array(WRITERS - 1).fill(0)])
  expect(perEvent(await deliveriesOf(h, platform))).toEqual(Array(40).fill(2))
  await receiver.arrival(40)
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(40)
})

it('redelivers an event once for twenty concurrent requests; the others get a 409', async () => {
  await using integration = await newIntegration(h)
  const { platform, receiver, ask } = integration
  receiver.respond('hang')
  const [{ id }] = await fillDeliveries(h, platform.slug, [{ status: 'failed', at: ago(HOUR_MS) }])
  const responses = await atOnce(() => ask('POST', `/deliveries/${id}/redeliver`))
  expect(statusesOf(responses)).toEqual({ 202: 1, 409: WRITERS - 1 })
  await receiver.arrival(1)
  expect(await deliveriesOf(h, platform)).toHaveLength(2)
})

it('creates one new delivery of each event for concurrent redeliver and recover requests', async () => {
  await using integration = await newIntegration(h)
  const { platform, receiver, ask } = integration
  receiver.respond('hang')
  const sent = Array.from({ length: WRITERS }, (_, n): Sent => ({ status: 'failed', at: ago(HOUR_MS + n) }))
  const made = await fillDeliveries(h, platform.slug, sent)
  const body = { since: since() }
  const responses = await Promise.all(
    made.flatMap(({ id }) => [
      ask('POST', `/deliveries/${id}/redeliver`),
      ask('POST', '/deliveries/recover', { body }),
    ]),
  )
  const recovered = responses.reduce((sum, response) => sum + (response.body.count ?? 0), 0)
  const redelivered = responses.filter(({ status }) => status === 202).length
  expect(recovered + redelivered).toBe(WRITERS)
  expect(perEvent(await deliveriesOf(h, platform))).toEqual(Array(WRITERS).fill(2))
})

it.each(["status = 'retired'", "webhook_status = 'disabled'"])(
  'queues nothing if meanwhile %s',
  async (change) => {
    await using integration = await newIntegration(h)
    const { platform, ask } = integration
    const [{ id }] = await fillDeliveries(h, platform.slug, [{ status: 'failed', at: ago(HOUR_MS) }])
    const held = await holdOpen(h, `update platforms set ${change} where slug = $1`, [platform.slug])
    const calls = [
      ask('POST', `/deliveries/${id}/redeliver`),
      ask('POST', '/deliveries/recover', { body: { since: since() } }),
      ask('POST', '/webhook-test', { body: { type: 'trust.updated' } }),
    ]
    await held.isWaitedFor()
    await held.commit()
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([409, 409, 409])
    expect(await deliveriesOf(h, platform)).toHaveLength(1)
  },
)

it('waits for the row of an operator without holding that of its platform', async () => {
  await using integration = await newIntegration(h)
  const { operator, platform, receiver, ask } = integration
  let answer = (_status: number) => {}
  receiver.respond(
    () =>
      new Promise((resolve) => {
        answer = resolve
      }),
  )
  await ask('POST', '/webhook-test', { body: { type: 'agent.updated' } })
  await receiver.arrival(1)
  const held = await holdOpen(h, 'select 1 from operators where id = $1 for no key update', [operator.id])
  answer(200)
  await held.isWaitedFor()
  await h.sql('select from platforms where slug = $1 for no key update nowait', [platform.slug])
  await held.commit()
  await eventually(
    () => deliveriesOf(h, platform),
    ([delivery]) => delivery.status === 'delivered',
  )
})

it('makes a pending attempt once for twenty concurrent retry-now requests and messages of QStash', async () => {
  await using integration = await newIntegration(h)
  const { platform, receiver, ask } = integration
  const [{ id }] = await fillDeliveries(h, platform.slug, [{ status: 'pending', at: ago(-HOUR_MS) }])
  const { qstash_url, base_url } = h
  const due = () =>
    fetch(`${qstash_url}/v2/publish/${base_url}/internal/qstash/deliver`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ delivery_id: id, attempt: 1, host: '127.0.0.1' }),
    })
  const [calls, messages] = [atOnce(() => ask('POST', `/deliveries/${id}/retry-now`)), atOnce(due)]
  const isExpected = ({ status, body }: Body) =>
    status === 202 || (status === 409 && /in progress|was delivered/.test(body.error.message))
  expect((await calls).filter((response) => !isExpected(response))).toEqual([])
  expect((await messages).every(({ ok }) => ok)).toBe(true)
  await receiver.arrival(1)
  await eventually(
    () => deliveriesOf(h, platform),
    ([one]) => one?.status === 'delivered',
  )
  expect(receiver.received).toHaveLength(1)
  expect(await deliveriesOf(h, platform)).toMatchObject([{ attempts: 1 }])
})

it.each([
  ['moved by another retry-now', 'next_attempt_at = now(), publish_count = 1', 202],
  ['begun', "attempts = 1, lease_until = now() + interval '1 minute', publish_count = 1", 409],
])('does not move an attempt that was %s meanwhile', async (_, change, status) => {
  await using integration = await newIntegration(h)
  const { platform, ask } = integration
  const [{ id }] = await fillDeliveries(h, platform.slug, [{ status: 'pending', at: ago(-HOUR_MS) }])
  const held = await holdOpen(h, `update webhook_deliveries set ${change} where id = $1`, [id])
  const retried = ask('POST', `/deliveries/${id}/retry-now`)
  await held.isWaitedFor()
  await held.commit()
  expect((await retried).status).toBe(status)
  expect(await h.sql('select publish_count from webhook_deliveries where id = $1', [id])).toEqual([
    { publish_count: 1 },
  ])
})

it('records nothing for an attempt that a later one has replaced, or whose outcome is known', async () => {
  await using integration = await newIntegration(h)
  const [{ id }] = await fillDeliveries(h, integration.platform.slug, [
    { status: 'pending', at: ago(-HOUR_MS) },
  ])
  await h.sql(
    `update webhook_deliveries set attempts = 2, lease_until = now() + interval '1 minute' where id = $1`,
    [id],
  )
  const record = async (attempt: number) => {
    const [row] = await h.sql(`select record_outcome($1, '{}', gen_random_uuid(), now()) as recorded`, [
      { delivery_id: id, number: attempt, response_status: 500, status: 'pending', due: ago(-HOUR_MS) },
    ])
    return row?.recorded
  }
  expect([await record(1), await record(2), await record(2)]).toEqual([false, true, false])
})
