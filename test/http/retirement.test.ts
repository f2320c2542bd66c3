import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../../src/lib/time.ts'
import { establish } from '../support/attested.ts'
import { ago, deliveriesOf, fillDeliveries } from '../support/deliveries.ts'
import { expectError, shared } from '../support/harness.ts'
import { memberControl } from '../support/members.ts'

const h = shared()
const { api, sql, newAgent, newPlatformKey } = h
const { newMembership, patch, retire, profile, reported, audited } = memberControl(h)

describe('DELETE /platforms/{slug}', () => {
  it('retires a platform: its keys and webhooks end, it accepts no agents, and its slug remains reserved', async () => {
    const { host, owner, platform, slug, reg } = await newMembership()
    const { key } = await newPlatformKey(host, slug)
    await patch(owner, reg, { name: 'Before' })
    const first = await retire(host, slug)
    expect(first).toMatchObject({ status: 200, body: { slug, status: 'retired' } })
    expect(await retire(host, slug)).toMatchObject({ status: 200, body: { slug, status: 'retired' } })
    expect((await audited(host, slug)).filter((action) => action === 'platform.retired')).toHaveLength(1)
    expect(await api('GET', `/agents/${reg}/activity`, { token: key })).toMatchObject({ status: 401 })
    expect((await api('GET', `/platforms/${slug}`)).body).toMatchObject({ status: 'retired' })
    expect(await profile(reg)).toMatchObject({ platform_slug: slug, platform_state: 'retired' })
    const before = (await reported(platform)).length
    expect((await patch(owner, reg, { name: 'After' })).body).toMatchObject({ platform_state: 'retired' })
    expect(await reported(platform)).toHaveLength(before)
    const body = { name: 'Scout', class: 'A', platform_slug: slug }
    const late = await api('POST', '/agents', { token: owner.token, body })
    expectError(late, 409, 'CONFLICT', /platform_slug: platform '.*' is retired/)
    const again = await api('POST', '/platforms', { token: owner.token, body: { slug, name: 'Mine' } })
    expectError(again, 409, 'CONFLICT', /is already taken/)
  })

  it('every later change returns 409', async () => {
    const { host, slug, reg } = await newMembership()
    await retire(host, slug)
    const { token } = host
    for (const [method, below, body] of [
      ['PATCH', '', { name: 'Again' }],
      ['PATCH', '', { webhook_status: 'enabled' }],
      ['POST', '/webhook-secret', undefined],
      ['POST', '/webhook-test', { type: 'trust.updated' }],
      ['POST', '/deliveries/recover', { since: new Date().toISOString() }],
      ['POST', '/api-keys', { name: 'a key' }],
      ['POST', `/agents/${reg}/confirm`, undefined],
      ['DELETE', `/agents/${reg}`, undefined],
    ] as const) {
      const response = await api(method, `/platforms/${slug}${below}`, { token, ...(body && { body }) })
      expectError(response, 409, 'CONFLICT', /is retired/)
    }
  })

  it('skips deliveries that are not in progress, and lets its agents leave immediately, also if it was established', async () => {
    const { host, owner, platform, slug, reg } = await newMembership()
    await establish(h, slug)
    await sql(
      `update webhook_deliveries set attempts = 1, lease_until = null, next_attempt_at = now() + interval '1 hour'
       where platform_id = (select id from platforms where slug = $1)`,
      [slug],
    )
    const [, begun] = await fillDeliveries(h, slug, [
      { status: 'delivered', at: new Date() },
      { status: 'pending', at: ago(-HOUR_MS), attempts: 1 },
    ])
    await sql('update webhook_deliveries set lease_until = now() where id = $1', [begun.id])
    await retire(host, slug)
    const skipped = { status: 'skipped', next_attempt_at: null }
    expect(await deliveriesOf(h, platform)).toMatchObject([
      skipped,
      { status: 'delivered' },
      { status: 'pending' },
    ])
    expect((await patch(owner, reg, { platform_slug: null })).body).toMatchObject({ platform_slug: null })
  })
})

it('a platform whose operator is suspended accepts no agents, and its webhook events are skipped', async () => {
  const { host, owner, platform, slug, reg } = await newMembership()
  await h.suspend(host)
  const body = { name: 'Scout', class: 'A', platform_slug: slug }
  const text = /does not accept agents at the moment/
  expectError(await api('POST', '/agents', { token: owner.token, body }), 409, 'CONFLICT', text)
  const other = await newAgent(owner)
  expectError(await patch(owner, other.reg, { platform_slug: slug }), 409, 'CONFLICT', text)
  await patch(owner, reg, { name: 'Unheard' })
  const deliveries = await deliveriesOf(h, platform)
  expect(deliveries.at(-1)).toMatchObject({ type: 'agent.updated', status: 'skipped' })
})
