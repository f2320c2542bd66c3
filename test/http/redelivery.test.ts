import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/lib/time.ts'
import { ago, deliveriesOf, disable, fillDeliveries, newIntegration, settled } from '../support/deliveries.ts'
import { eventually } from '../support/fill.ts'
import { type Body, expectError, shared } from '../support/harness.ts'
import { expectSigned } from '../support/signature.ts'

const h = shared()
const { sql, newAgent } = h

const ids = (list: Body[]) => list.map(({ id }) => id)

describe('POST /platforms/{slug}/deliveries/{id}/redeliver', () => {
  it('sends the same event again, as a new delivery', async () => {
    await using integration = await newIntegration(h)
    const { operator, platform, receiver, ask } = integration
    await newAgent(operator, { platform_slug: platform.slug })
    const [first] = await settled(h, integration, 'delivered')
    const { status, body } = await ask('POST', `/deliveries/${first.id}/redeliver`)
    expect(status).toBe(202)
    expect(body).toEqual({
      id: expect.not.stringMatching(first.id),
      event_id: first.event_id,
      type: 'agent.registered',
      status: 'pending',
      attempts: 0,
      created_at: expect.stringMatching(/Z$/),
      next_attempt_at: body.created_at,
      delivered_at: null,
    })
    const [one, two] = await receiver.arrival(2)
    expect(two?.raw).toBe(one?.raw)
    if (two) expectSigned(two, platform.webhook_secret)
    await settled(h, integration, 'delivered', 2)
    const { body: after } = await ask('GET', '/deliveries')
    expect(ids(after.data)).toEqual([body.id, first.id])
    expect(after.data).toMatchObject([{ status: 'delivered' }, { status: 'delivered', attempts: 1 }])
  })

  it('repeats a delivered, failed or skipped delivery', async () => {
    await using integration = await newIntegration(h)
    const { ask, platform, receiver } = integration
    const at = ago(20 * DAY_MS)
    const statuses = ['delivered', 'failed', 'skipped'] as const
    const old = await fillDeliveries(
      h,
      platform.slug,
      statuses.map((status) => ({ status, at })),
    )
    for (const { id } of old) expect((await ask('POST', `/deliveries/${id}/redeliver`)).status).toBe(202)
    const arrived = await receiver.arrival(3)
    expect(arrived.map(({ event }) => event.id).sort()).toEqual(old.map(({ event_id }) => event_id).sort())
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

  it('returns 409 while the webhook is disabled or has no URL', async () => {
    await using integration = await newIntegration(h)
    const { platform, ask } = integration
    const [{ id }] = await fillDeliveries(h, platform.slug, [{ status: 'failed', at: ago(HOUR_MS) }])
    await disable(h, platform)
    expectError(await ask('POST', `/deliveries/${id}/redeliver`), 409, 'CONFLICT', /disabled/)
    await sql('update platforms set webhook_url = null where slug = $1', [platform.slug])
    expectError(await ask('POST', `/deliveries/${id}/redeliver`), 409, 'CONFLICT', /webhook_url/)
    expect(await deliveriesOf(h, platform)).toHaveLength(1)
  })

  it('an event is kept as long as one of its deliveries', async () => {
    await using integration = await newIntegration(h)
    const { platform, receiver, ask } = integration
    const [old] = await fillDeliveries(h, platform.slug, [{ status: 'failed', at: ago(HOUR_MS) }])
    const { status, body: again } = await ask('POST', `/deliveries/${old.id}/redeliver`)
    expect(status).toBe(202)
    await receiver.arrival(1)
    // Aged only now, because the jobs of other tests delete old rows immediately.
    const age = `set created_at = created_at - interval '31 days'`
    await h.sql(`update webhook_events ${age} where id = $1`, [old.event_id])
    await h.sql(`update webhook_deliveries ${age} where id = $1`, [old.id])
    await eventually(
      async () => {
        await h.cron()
        return deliveriesOf(h, platform)
      },
      (left) => left.length === 1,
    )
    expect(ids(await deliveriesOf(h, platform))).toEqual([again.id])
    const { body } = await ask('GET', `/deliveries/${again.id}`)
    expect(body.payload).toMatchObject({ id: old.event_id, data: receiver.received[0]?.event.data })
  })
})
