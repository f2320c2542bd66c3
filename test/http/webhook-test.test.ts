import { describe, expect, it } from 'vitest'
import { deliveriesOf, disable, newIntegration, settled } from '../support/deliveries.ts'
import { expectError, shared } from '../support/harness.ts'
import { expectSigned } from '../support/signature.ts'

const h = shared()
const { api, sql, newAgent, newPlatform } = h

describe('POST /platforms/{slug}/webhook-test', () => {
  it('sends a signed example of any type, even those the platform does not receive', async () => {
    await using integration = await newIntegration(h, { event_types: ['incident.resolved'] })
    const { platform, receiver, ask } = integration
    const { body: described } = await api('GET', '/event-types')
    for (const { type, example } of described.data) {
      const { status, body } = await ask('POST', '/webhook-test', { body: { type } })
      expect({ status, body }).toEqual({
        status: 202,
        body: {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          event_id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
          type,
          status: 'pending',
          attempts: 0,
          created_at: expect.stringMatching(/Z$/),
          next_attempt_at: body.created_at,
          delivered_at: null,
        },
      })
      const [webhook] = await receiver.arrival(1, type)
      if (!webhook) throw new Error('unreachable')
      expectSigned(webhook, platform.webhook_secret)
      const { event_id: id, created_at } = body
      expect(webhook.event).toEqual({ id, type, created_at, data: { ...example.data, test: true } })
    }
    expect(receiver.received).toHaveLength(9)
    expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(9)
    await settled(h, integration, 'delivered', 9)
  })

  it('sends nothing to other platforms, and notifies nobody', async () => {
    await using integration = await newIntegration(h)
    const { operator, receiver, ask } = integration
    const other = await newPlatform(operator, { webhook_url: receiver.url })
    await newAgent(operator, { platform_slug: other.slug })
    const before = await deliveriesOf(h, other)
    await ask('POST', '/webhook-test', { body: { type: 'incident.created' } })
    await receiver.arrival(1, 'incident.created')
    expect((await deliveriesOf(h, other)).length).toBe(before.length)
    const { token } = operator
    expect((await api('GET', '/operators/me/notifications', { token })).body.data).toEqual([])
    expect((await api('GET', '/operators/me/dashboard', { token })).body).toMatchObject({ incident_count: 0 })
  })

  it('returns 409 while the webhook is disabled or has no URL', async () => {
    await using integration = await newIntegration(h)
    const { platform, ask } = integration
    const body = { type: 'trust.updated' }
    await disable(h, platform)
    expectError(await ask('POST', '/webhook-test', { body }), 409, 'CONFLICT', /disabled/)
    await sql('update platforms set webhook_url = null where slug = $1', [platform.slug])
    expectError(await ask('POST', '/webhook-test', { body }), 409, 'CONFLICT', /webhook_url/)
    expect(await deliveriesOf(h, platform)).toEqual([])
  })
})
