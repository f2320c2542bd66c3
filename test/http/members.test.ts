import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { type Body, expectError, type Operator, shared } from '../support/harness.ts'
import { memberControl, NOBODY_LISTENS } from '../support/members.ts'

const h = shared()
const { api, sql, newOperator, newAgent, newKey, newPlatform } = h
const { newMembership, patch, confirm, remove, profile, reported, audited } = memberControl(h)

const list = ({ token }: Operator, slug: string, query = '') =>
  api('GET', `/platforms/${slug}/agents${query}`, { token })

describe('an agent that claims a platform', () => {
  it('is shown everywhere as claimed until the platform confirms it', async () => {
    const { host, owner, slug, agent, reg } = await newMembership()
    const claim = { platform_name: 'Platform', platform_slug: slug, platform_state: 'claimed' }
    const reader = await newKey(owner, ['read'])
    const shown = async () =>
      Promise.all([
        profile(reg),
        api('GET', `/verify/${reg}/full`, { token: reader.key }).then(({ body }) => body),
        api('GET', '/operators/me/agents', { token: owner.token }).then(({ body }) => body.data[0]),
        patch(owner, reg, { name: 'Scout' }).then(({ body }) => body),
      ])
    expect(agent).toMatchObject({ ...claim, platform_leaves_at: null, next_platform_slug: null })
    for (const form of await shown()) expect(form).toMatchObject(claim)
    expect((await confirm(host, slug, reg)).body).toMatchObject({ reg, platform_state: 'confirmed' })
    for (const form of await shown()) expect(form).toMatchObject({ ...claim, platform_state: 'confirmed' })
    expect(await confirm(host, slug, reg)).toMatchObject({ status: 200 })
    expect(await audited(host, reg)).toEqual(['platform.agent_confirmed'])
  })

  it('cannot be confirmed or removed by its operator or another platform, not even of the same host', async () => {
    const { host, owner, slug, reg } = await newMembership()
    const [other, second] = [await newPlatform(owner), await newPlatform(host)]
    for (const act of [confirm, remove]) {
      expectError(await act(owner, slug, reg), 404, 'NOT_FOUND', /you have no platform/)
      expectError(await act(owner, other.slug, reg), 404, 'NOT_FOUND', /is not on platform/)
      expectError(await act(host, second.slug, reg), 404, 'NOT_FOUND', /is not on platform/)
    }
    expect(await profile(reg)).toMatchObject({ platform_slug: slug, platform_state: 'claimed' })
  })
})

it('GET /platforms/{slug}/agents lists its agents, newest members first, optionally of one state', async () => {
  const { host, owner, slug, reg } = await newMembership()
  const second = await newAgent(owner, { platform_slug: slug, name: 'Second' })
  await newAgent(owner)
  await confirm(host, slug, reg)
  const { body } = await list(host, slug)
  expect(body.pagination).toEqual({ page: 1, per_page: 20, total: 2, total_pages: 1 })
  expect(body.data.map((item: Body) => [item.reg, item.platform_state])).toEqual([
    [second.reg, 'claimed'],
    [reg, 'confirmed'],
  ])
  const score = { trust_score_overall: null, trust_score_updated: null }
  const fields = { operator_id: owner.id, operator_name_verified: false, name: 'Second', ...score }
  expect(body.data[0]).toMatchObject({ ...fields, platform_leaves_at: null })
  expect((await list(host, slug, '?state=claimed')).body.data).toMatchObject([{ reg: second.reg }])
  expect((await list(host, slug, '?per_page=1&page=2')).body.data[0]).toMatchObject({ reg })
})

describe('DELETE /platforms/{slug}/agents/{reg}', () => {
  it('removes an agent immediately, notifies its operator, and bars it for 30 days', async () => {
    const { host, owner, platform, slug, agent, reg } = await newMembership()
    await confirm(host, slug, reg)
    const first = await remove(host, slug, reg)
    expect(first).toMatchObject({ status: 200, body: { reg, platform_slug: slug } })
    const { removed_at, barred_until } = first.body
    expect(Date.parse(barred_until) - Date.parse(removed_at)).toBe(30 * DAY_MS)
    expect((await remove(host, slug, reg)).body).toEqual(first.body)
    const none = { platform_name: null, platform_slug: null, platform_state: null }
    expect(await profile(reg)).toMatchObject(none)
    expect((await reported(platform)).slice(1)).toEqual(['agent.updated platform_slug'])
    const back = await patch(owner, reg, { platform_slug: slug })
    expectError(back, 409, 'CONFLICT', RegExp(`can join again from ${barred_until}`))
    expect(await audited(host, reg)).toEqual(['platform.agent_confirmed', 'platform.agent_removed'])
    expect(await audited(owner, reg)).toEqual(['agent.removed_from_platform'])
    const { body } = await api('GET', '/operators/me/notifications', { token: owner.token })
    expect(body.data).toMatchObject([{ type: 'platform_membership', reg }])
    const [other, elsewhere] = [await newAgent(owner), await newPlatform(host)]
    for (const [on, of] of [
      [slug, other.reg],
      [elsewhere.slug, reg],
    ]) {
      expectError(await remove(host, on, of), 404, 'NOT_FOUND', /is not on platform/)
      expect((await patch(owner, of, { platform_slug: on })).body).toMatchObject({ platform_slug: on })
    }
    await sql(
      "update platform_removals set removed_at = removed_at - interval '30 days' where agent_id = $1",
      [agent.id],
    )
    expectError(await remove(host, slug, reg), 404, 'NOT_FOUND', /is not on platform/)
    const returned = await patch(owner, reg, { platform_slug: slug })
    expect(returned.body).toMatchObject({ platform_slug: slug, platform_state: 'claimed' })
    expect((await remove(host, slug, reg)).status).toBe(200)
    expectError(await patch(owner, reg, { platform_slug: slug }), 409, 'CONFLICT', /can join again from/)
  })

  it('moves an agent under notice immediately to its next platform', async () => {
    const { host, owner, slug, reg } = await newMembership()
    const next = await newPlatform(await newOperator(), { webhook_url: NOBODY_LISTENS })
    await patch(owner, reg, { platform_slug: next.slug })
    await remove(host, slug, reg)
    expect(await profile(reg)).toMatchObject({
      platform_slug: next.slug,
      platform_state: 'claimed',
      platform_leaves_at: null,
    })
    expect(await reported(next)).toEqual(['agent.registered claimed'])
  })
})
