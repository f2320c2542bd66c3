import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../../src/lib/time.ts'
import {
  ago,
  deliveriesOf,
  disable,
  fillDeliveries,
  type Integration,
  newIntegration,
  type Sent,
} from '../support/deliveries.ts'
import { eventually } from '../support/fill.ts'
import { expectError, shared } from '../support/harness.ts'

const h = shared()

/** A pending delivery after a failed first attempt; the second is due in a minute. */
async function newRetrying(integration: Integration) {
  const { ask, receiver } = integration
  receiver.respond((n) => (n === 1 ? 500 : 200))
  const { body } = await ask('POST', '/webhook-test', { body: { type: 'trust.updated' } })
  const found = await eventually(
    async () => (await ask('GET', `/deliveries/${body.id}`)).body,
    ({ attempts, attempt_log: [first] }) => attempts === 1 && first?.response_status === 500,
  )
  return { id: body.id as string, due: Date.parse(found.next_attempt_at) }
}

describe('POST /platforms/{slug}/deliveries/{id}/retry-now', () => {
  it('makes the pending attempt immediately, without changing its number', async () => {
    await using integration = await newIntegration(h)
    const { ask, receiver, platform } = integration
    const { id, due } = await newRetrying(integration)
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

  it('returns 409 with the reason: completed, in progress, no active webhook', async () => {
    await using integration = await newIntegration(h)
    const { ask, platform } = integration
    const sent: Sent[] = [
      { status: 'failed', at: ago(4 * HOUR_MS) },
      { status: 'skipped', at: ago(HOUR_MS) },
      { status: 'pending', at: ago(-HOUR_MS) },
    ]
    const [failed, skipped, pending] = await fillDeliveries(h, platform.slug, sent)
    const rejected = async (id: string, message: RegExp) =>
      expectError(await ask('POST', `/deliveries/${id}/retry-now`), 409, 'CONFLICT', message)
    await rejected(failed?.id, /has failed; redeliver/)
    await rejected(skipped?.id, /was skipped; redeliver/)
    await h.sql(
      `update webhook_deliveries set attempts = 1, lease_until = now() + interval '1 minute' where id = $1`,
      [pending?.id],
    )
    await rejected(pending?.id, /^attempt 1 of this delivery is in progress/)
    await h.sql('update webhook_deliveries set lease_until = null where id = $1', [pending?.id])
    await disable(h, platform)
    await rejected(pending?.id, /disabled/)
    await h.sql('update platforms set webhook_url = null where slug = $1', [platform.slug])
    await rejected(pending?.id, /webhook_url/)
    await h.sql(`update webhook_deliveries set status = 'skipped' where id = $1`, [pending?.id])
  })
})
