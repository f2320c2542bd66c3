import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../src/lib/time.ts'
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
import { expectError, shared } from '../support/harness.ts'

const h = shared()
const { sql, newAgent } = h

describe('POST /platforms/{slug}/deliveries/recover', () => {
  const recover = ({ ask }: Integration, since: Date | string) =>
    ask('POST', '/deliveries/recover', { body: { since } })

  it('redelivers what failed or was skipped since a time, and nothing a second time', async () => {
    await using integration = await newIntegration(h)
    const { platform, receiver } = integration
    const made = await fillDeliveries(h, platform.slug, [
      { status: 'failed', at: ago(30 * HOUR_MS) },
      { status: 'failed', at: ago(20 * HOUR_MS) },
      { status: 'delivered', at: ago(19 * HOUR_MS) },
      { status: 'skipped', at: ago(18 * HOUR_MS) },
      { status: 'pending', at: ago(-HOUR_MS) },
    ])
    const first = await recover(integration, ago(24 * HOUR_MS))
    expect({ status: first.status, body: first.body }).toEqual({
      status: 200,
      body: { count: 2, more: false },
    })
    expect((await recover(integration, ago(24 * HOUR_MS))).body).toEqual({ count: 0, more: false })
    const sent = (await receiver.arrival(2)).map(({ event }) => event.id)
    expect(sent.sort()).toEqual([made[1].event_id, made[3].event_id].sort())
    await settled(h, integration, 'delivered', 3)
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

  it('considers the newest delivery of each event, and sends each event once', async () => {
    await using integration = await newIntegration(h)
    const { platform, receiver } = integration
    const [delivered, failing, skipped] = await fillDeliveries(h, platform.slug, [
      { status: 'failed', at: ago(10 * HOUR_MS) },
      { status: 'delivered', at: ago(10 * HOUR_MS) },
      { status: 'failed', at: ago(10 * HOUR_MS) },
    ])
    await fillDeliveries(h, platform.slug, [
      { status: 'delivered', at: ago(5 * HOUR_MS), event_id: delivered.event_id },
      { status: 'failed', at: ago(5 * HOUR_MS), event_id: failing.event_id },
      { status: 'skipped', at: ago(5 * HOUR_MS), event_id: skipped.event_id },
    ])
    expect((await recover(integration, ago(24 * HOUR_MS))).body).toEqual({ count: 2, more: false })
    const sent = (await receiver.arrival(2)).map(({ event }) => event.id)
    expect(sent.sort()).toEqual([failing.event_id, skipped.event_id].sort())
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

  it('recovers what was skipped while the webhook was disabled, after it is enabled', async () => {
    await using integration = await newIntegration(h)
    const { operator, platform, receiver } = integration
    await disable(h, platform)
    const agent = await newAgent(operator, { platform_slug: platform.slug })
    expect(await deliveriesOf(h, platform)).toMatchObject([{ status: 'skipped' }])
    expectError(await recover(integration, ago(HOUR_MS)), 409, 'CONFLICT', /disabled/)
    await sql(`update platforms set webhook_status = 'enabled' where slug = $1`, [platform.slug])
    expect((await recover(integration, ago(HOUR_MS))).body).toEqual({ count: 1, more: false })
    const [webhook] = await receiver.arrival(1)
    expect(webhook?.event.data.reg).toBe(agent.reg)
  })

  it('accepts a time or date at most 14 days in the past', async () => {
    await using integration = await newIntegration(h)
    const { ask } = integration
    const now = new Date('2026-11-15T12:00:00Z')
    const at = (since: unknown) => ask('POST', '/deliveries/recover', { body: { since }, now })
    for (const since of [
      '2026-11-01T12:00:05Z',
      '2026-11-01T12:00:05',
      '2026-11-01T13:00:05+01:00',
      '2026-11-02',
      '2027-01-01',
    ]) {
      expect((await at(since)).body, since).toEqual({ count: 0, more: false })
    }
    for (const since of ['2026-11-01T11:59:59.999Z', '2026-11-01', '0001-01-01', '2025-11-15T12:00:00Z']) {
      expectError(await at(since), 400, 'VALIDATION_ERROR', /^since: must be at most 14 days in the past/)
    }
    for (const since of ['yesterday', '2026-11-15 12:00', '']) {
      expectError(await at(since), 400, 'VALIDATION_ERROR', /^since: must be an ISO 8601 date or time/)
    }
  })

  it('recovers nothing of another platform, and nothing without a URL', async () => {
    await using integration = await newIntegration(h)
    const { platform } = integration
    await fillDeliveries(h, platform.slug, [{ status: 'failed', at: ago(HOUR_MS) }])
    await using other = await newIntegration(h)
    expect((await recover(other, ago(DAY_MS))).body.count).toBe(0)
    await sql('update platforms set webhook_url = null where slug = $1', [platform.slug])
    expectError(await recover(integration, ago(HOUR_MS)), 409, 'CONFLICT', /webhook_url/)
    expect(await deliveriesOf(h, platform)).toHaveLength(1)
  })

  /** Prevents the sending of pending deliveries of a test. */
  const abandon = (slug: string) =>
    sql(
      `update webhook_deliveries d set status = 'skipped' from platforms p
       where p.id = d.platform_id and p.slug = $1 and d.status = 'pending'`,
      [slug],
    )

  it('publishes the first 200 after the response, and the sweep publishes the rest', async () => {
    await using integration = await newIntegration(h)
    const { platform, ask } = integration
    const sent = Array.from({ length: 230 }, (_, n): Sent => ({ status: 'skipped', at: ago(HOUR_MS + n) }))
    await fillDeliveries(h, platform.slug, sent)
    const published = (count: number) =>
      eventually(
        async () => {
          const all = (await deliveriesOf(h, platform)).filter(({ status }) => status !== 'skipped')
          return all.filter((one) => one.publish_count > 0 || one.status === 'delivered').length
        },
        (found) => found === count,
      )
    try {
      const body = { since: ago(DAY_MS) }
      const response = await ask('POST', '/deliveries/recover', { body, now: ago(-HOUR_MS) }) // not yet due for the sweep
      expect(response.body).toEqual({ count: 230, more: false })
      expect(await published(200)).toBe(200)
      await sql(
        `update webhook_deliveries d set created_at = d.created_at - interval '2 hours'
         from platforms p where p.id = d.platform_id and p.slug = $1 and d.status = 'pending'`,
        [platform.slug],
      )
      await h.cron()
      expect(await published(230)).toBe(230)
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
