import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/lib/time.ts'
import { describeEventTypes } from '../../src/webhooks/manage/event-types.ts'
import {
  ago,
  deliveriesOf,
  disable,
  fillDeliveries,
  type Integration,
  newIntegration,
  type Sent,
  settled,
} from '../support/deliveries.ts'
import { eventually } from '../support/fill.ts'
import { type Body, expectError, shared } from '../support/harness.ts'
import { NOBODY_LISTENS } from '../support/members.ts'
import { expectSigned } from '../support/signature.ts'

const h = shared()
const { api, sql, newAgent, newPlatform } = h

const ids = (list: Body[]) => list.map(({ id }) => id)
/** The fields of a delivery that was just created. */
const pending = (fields: object) => ({
  id: expect.stringMatching(/^[0-9a-f-]{36}$/),
  status: 'pending',
  attempts: 0,
  created_at: expect.stringMatching(/Z$/),
  next_attempt_at: expect.stringMatching(/Z$/),
  delivered_at: null,
  ...fields,
})

it('nothing is sent while the webhook is disabled or has no URL', async () => {
  await using integration = await newIntegration(h)
  const { platform, ask } = integration
  const [old, waiting] = await fillDeliveries(h, platform.slug, [
    { status: 'failed', at: ago(HOUR_MS) },
    { status: 'pending', at: ago(-HOUR_MS) },
  ])
  const expectRefused = async (message: RegExp) => {
    for (const [below, body] of [
      ['/webhook-test', { type: 'trust.updated' }],
      ['/deliveries/recover', { since: ago(DAY_MS) }],
      [`/deliveries/${old.id}/redeliver`, undefined],
      [`/deliveries/${waiting.id}/retry-now`, undefined],
    ] as const)
      expectError(await ask('POST', below, { body }), 409, 'CONFLICT', message)
  }
  await disable(h, platform)
  await expectRefused(/disabled/)
  await sql('update platforms set webhook_url = null where slug = $1', [platform.slug])
  await expectRefused(/webhook_url/)
  expect(ids(await deliveriesOf(h, platform)).sort()).toEqual([old.id, waiting.id].sort())
  await sql(`update webhook_deliveries set status = 'skipped' where id = $1`, [waiting.id])
})

it('POST /platforms/{slug}/webhook-test sends a signed example of any type, even those the platform does not receive, to it alone', async () => {
  await using integration = await newIntegration(h, { event_types: ['incident.resolved'] })
  const { operator, platform, receiver, ask } = integration
  const other = await newPlatform(operator, { webhook_url: NOBODY_LISTENS })
  await newAgent(operator, { platform_slug: other.slug })
  const before = await deliveriesOf(h, other)
  const { body: described } = await api('GET', '/event-types')
  expect(described).toEqual({ data: describeEventTypes() })
  for (const { type, example } of described.data) {
    const { status, body } = await ask('POST', '/webhook-test', { body: { type } })
    const event_id = expect.stringMatching(/^evt_[0-9a-f]{32}$/)
    expect({ status, body }).toEqual({ status: 202, body: pending({ event_id, type }) })
    const [webhook] = await receiver.arrival(1, type)
    if (!webhook) throw new Error('unreachable')
    expectSigned(webhook, platform.webhook_secret)
    const { event_id: id, created_at } = body
    expect(webhook.event).toEqual({ id, type, created_at, data: { ...example.data, test: true } })
  }
  await settled(h, integration, 'delivered', 9)
  expect(ids(await deliveriesOf(h, other))).toEqual(ids(before))
  const { token } = operator
  expect((await api('GET', '/operators/me/notifications', { token })).body.data).toEqual([])
  expect((await api('GET', '/operators/me/dashboard', { token })).body).toMatchObject({ incident_count: 0 })
})

describe('POST /platforms/{slug}/deliveries/{id}/redeliver', () => {
  it('sends the same event again, as a newer delivery even if a clock is behind', async () => {
    await using integration = await newIntegration(h)
    const { operator, platform, receiver, ask } = integration
    await newAgent(operator, { platform_slug: platform.slug })
    const [first] = await settled(h, integration, 'delivered')
    const other = await newPlatform(operator)
    await fillDeliveries(h, other.slug, [
      { status: 'pending', at: ago(-HOUR_MS), event_id: first.event_id }, // of an event for several platforms
    ])
    const now = new Date(Date.parse(first.created_at) - 1_000)
    const { status, body } = await ask('POST', `/deliveries/${first.id}/redeliver`, { now })
    const { event_id, type } = first
    expect({ status, body }).toEqual({ status: 202, body: pending({ event_id, type }) })
    const [one, two] = await receiver.arrival(2)
    expect(two?.raw).toBe(one?.raw)
    if (two) expectSigned(two, platform.webhook_secret)
    await settled(h, integration, 'delivered', 2)
    const { body: after } = await ask('GET', '/deliveries')
    expect(ids(after.data)).toEqual([body.id, first.id])
    expect(after.data).toMatchObject([{ status: 'delivered' }, { status: 'delivered', attempts: 1 }])
  })

  it('returns 409 that names retry-now while any delivery of the event is pending', async () => {
    await using integration = await newIntegration(h)
    const { platform, ask } = integration
    const [old] = await fillDeliveries(h, platform.slug, [{ status: 'failed', at: ago(HOUR_MS) }])
    const [pending] = await fillDeliveries(h, platform.slug, [
      { status: 'pending', at: ago(-HOUR_MS), event_id: old.event_id },
    ])
    const retry = `POST /platforms/${platform.slug}/deliveries/${pending.id}/retry-now`
    for (const { id } of [old, pending])
      expectError(
        await ask('POST', `/deliveries/${id}/redeliver`),
        409,
        'CONFLICT',
        RegExp(`pending.*${retry}`),
      )
    expect(await deliveriesOf(h, platform)).toHaveLength(2)
  })
})

describe('POST /platforms/{slug}/deliveries/{id}/retry-now', () => {
  it('makes the pending attempt immediately, without changing its number', async () => {
    await using integration = await newIntegration(h)
    const { ask, receiver, platform } = integration
    receiver.respond((n) => (n === 1 ? 500 : 200))
    const { id } = (await ask('POST', '/webhook-test', { body: { type: 'trust.updated' } })).body
    const failed = await eventually(
      async () => (await ask('GET', `/deliveries/${id}`)).body,
      ({ attempts, attempt_log: [first] }) => attempts === 1 && first?.response_status === 500,
    )
    const due = Date.parse(failed.next_attempt_at)
    const response = await ask('POST', `/deliveries/${id}/retry-now`)
    expect(response.status, response.text).toBe(202)
    expect(response.body).toMatchObject({ id, status: 'pending', attempts: 1, delivered_at: null })
    expect(Date.parse(response.body.next_attempt_at)).toBeLessThan(due)
    await receiver.arrival(2)
    const [made] = await eventually(
      () => deliveriesOf(h, platform),
      ([one]) => one?.status === 'delivered',
    )
    expect(made).toMatchObject({ id, attempts: 2 })
    const { attempt_log } = (await ask('GET', `/deliveries/${id}`)).body
    expect(Date.parse(attempt_log[1].started_at)).toBeLessThan(due)
    const done = await ask('POST', `/deliveries/${id}/retry-now`)
    expectError(done, 409, 'CONFLICT', /was delivered; redeliver the event/)
  })

  it('changes nothing if the attempt is already due', async () => {
    await using integration = await newIntegration(h)
    const { ask, platform } = integration
    const [{ id }] = await fillDeliveries(h, platform.slug, [{ status: 'pending', at: ago(1_000) }])
    const before = await deliveriesOf(h, platform)
    const response = await ask('POST', `/deliveries/${id}/retry-now`)
    expect([response.status, response.body.next_attempt_at]).toEqual([
      202,
      before[0]?.next_attempt_at.toISOString(),
    ])
    expect(await deliveriesOf(h, platform)).toEqual(before)
  })

  it('returns 409 with the reason: completed, in progress', async () => {
    await using integration = await newIntegration(h)
    const { ask, platform } = integration
    const [failed, skipped, waiting] = await fillDeliveries(h, platform.slug, [
      { status: 'failed', at: ago(4 * HOUR_MS) },
      { status: 'skipped', at: ago(HOUR_MS) },
      { status: 'pending', at: ago(-HOUR_MS) },
    ])
    await sql(
      `update webhook_deliveries set attempts = 1, lease_until = now() + interval '1 minute' where id = $1`,
      [waiting.id],
    )
    for (const [{ id }, message] of [
      [failed, /has failed; redeliver/],
      [skipped, /was skipped; redeliver/],
      [waiting, /^attempt 1 of this delivery is in progress/],
    ] as const)
      expectError(await ask('POST', `/deliveries/${id}/retry-now`), 409, 'CONFLICT', message)
    await sql(`update webhook_deliveries set status = 'skipped', lease_until = null where id = $1`, [
      waiting.id,
    ])
  })
})

describe('POST /platforms/{slug}/deliveries/recover', () => {
  const recover = ({ ask }: Integration, since: Date | string) =>
    ask('POST', '/deliveries/recover', { body: { since } })

  it('redelivers each event whose newest delivery failed or was skipped since a time, once', async () => {
    await using integration = await newIntegration(h)
    const { platform, receiver } = integration
    const hours = (status: Sent['status'], count: number): Sent => ({ status, at: ago(count * HOUR_MS) })
    const first = await fillDeliveries(h, platform.slug, [
      hours('failed', 30),
      hours('failed', 20),
      hours('delivered', 19),
      hours('skipped', 18),
      hours('pending', -1),
      ...[hours('failed', 10), hours('delivered', 10), hours('failed', 10)],
    ])
    const [, failed, , skipped, , later, failing, left] = first.map(({ event_id }) => event_id)
    const other = await newPlatform(integration.operator)
    await fillDeliveries(h, other.slug, [{ ...hours('pending', -1), event_id: failed }])
    await fillDeliveries(h, platform.slug, [
      { ...hours('delivered', 5), event_id: later },
      { ...hours('failed', 5), event_id: failing },
      { ...hours('skipped', 5), event_id: left },
    ])
    expect(await recover(integration, ago(24 * HOUR_MS))).toMatchObject({
      status: 200,
      body: { count: 4, more: false },
    })
    expect((await recover(integration, ago(24 * HOUR_MS))).body).toEqual({ count: 0, more: false })
    const sent = (await receiver.arrival(4)).map(({ event }) => event.id)
    expect(sent.sort()).toEqual([failed, skipped, failing, left].sort())
    await settled(h, integration, 'delivered', 7)
    expect((await recover(integration, ago(24 * HOUR_MS))).body.count).toBe(0)
    expect((await recover(integration, ago(48 * HOUR_MS))).body.count).toBe(1)
  })

  it('compares the time of the failure or skip, not of the first attempt', async () => {
    await using integration = await newIntegration(h)
    const { platform } = integration
    await fillDeliveries(h, platform.slug, [
      { status: 'failed', at: ago(5 * HOUR_MS) }, // the fifth attempt was 156 minutes later
      { status: 'failed', at: ago(6 * HOUR_MS) },
    ])
    const [skipped] = await fillDeliveries(h, platform.slug, [{ status: 'skipped', at: ago(5 * HOUR_MS) }])
    await sql(
      `with d as (update webhook_deliveries set attempts = 4 where id = $1 returning *)
       insert into webhook_attempts (delivery_id, number, started_at)
       select id, 4, created_at + interval '36 minutes' from d`, // the fifth was due 2 hours later
      [skipped.id],
    )
    expect((await recover(integration, ago(3 * HOUR_MS))).body).toEqual({ count: 2, more: false })
  })

  it('redelivers nothing twice for a caller whose clock is behind', async () => {
    await using integration = await newIntegration(h)
    const { platform, receiver, ask } = integration
    await fillDeliveries(h, platform.slug, [{ status: 'skipped', at: ago(-60_000) }])
    const body = { since: ago(HOUR_MS) }
    expect((await ask('POST', '/deliveries/recover', { body, now: ago(60_000) })).body.count).toBe(1)
    await receiver.arrival(1)
    await settled(h, integration, 'delivered')
    expect((await ask('POST', '/deliveries/recover', { body, now: ago(60_000) })).body.count).toBe(0)
  })

  it('accepts a time or date at most 14 days in the past', async () => {
    await using integration = await newIntegration(h)
    const { ask } = integration
    const now = new Date('2026-11-15T12:00:00Z')
    const at = (since: unknown) => ask('POST', '/deliveries/recover', { body: { since }, now })
    for (const since of ['2026-11-01T12:00:05Z', '2026-11-02', '2027-01-01'])
      expect((await at(since)).body, since).toEqual({ count: 0, more: false })
    for (const since of ['2026-11-01T11:59:59.999Z', '2026-11-01'])
      expectError(await at(since), 400, 'VALIDATION_ERROR', /^since: must be at most 14 days in the past/)
  })

  /** Prevents the sending of pending deliveries of a test. */
  const abandon = (slug: string) =>
    sql(
      `update webhook_deliveries d set status = 'skipped' from platforms p
       where p.id = d.platform_id and p.slug = $1 and d.status = 'pending'`,
      [slug],
    )

  it('publishes the first 200 after the response, and leaves the rest to the sweep', async () => {
    await using integration = await newIntegration(h)
    const { platform, ask } = integration
    const sent = Array.from({ length: 230 }, (_, n): Sent => ({ status: 'skipped', at: ago(HOUR_MS + n) }))
    await fillDeliveries(h, platform.slug, sent)
    const published = async () =>
      (await deliveriesOf(h, platform)).filter(
        (one) => one.status !== 'skipped' && (one.publish_count > 0 || one.status === 'delivered'),
      ).length
    try {
      const body = { since: ago(DAY_MS) }
      const response = await ask('POST', '/deliveries/recover', { body, now: ago(-HOUR_MS) }) // not yet due for the sweep
      expect(response.body).toEqual({ count: 230, more: false })
      expect(await eventually(published, (count) => count >= 200)).toBe(200)
    } finally {
      await abandon(platform.slug)
    }
  })

  it('recovers 10,000 events per request, oldest first, and says if there are more', async () => {
    await using integration = await newIntegration(h)
    const { platform, ask } = integration
    const later = { body: { since: ago(DAY_MS) }, now: ago(-HOUR_MS) } // not yet due for the sweep
    const hourAgo = Date.now() - HOUR_MS
    const sent = Array.from(
      { length: 10_002 },
      (_, n): Sent => ({ status: 'skipped', at: new Date(hourAgo - n) }),
    )
    const made = await fillDeliveries(h, platform.slug, sent)
    const newest = made.slice(0, 2).map(({ event_id }) => event_id)
    try {
      expect((await ask('POST', '/deliveries/recover', later)).body).toEqual({ count: 10_000, more: true })
      const first = (await deliveriesOf(h, platform)).filter(({ status }) => status === 'pending')
      expect(first.filter((one) => newest.includes(one.event_id))).toEqual([])
      expect((await ask('POST', '/deliveries/recover', later)).body).toEqual({ count: 2, more: false })
    } finally {
      await abandon(platform.slug)
    }
  })
})
