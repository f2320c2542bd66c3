import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time.ts'
import { establish } from '../support/attested.ts'
import { expectError, shared } from '../support/harness.ts'
import { memberControl, NOBODY_LISTENS } from '../support/members.ts'

const h = shared()
const { api, newOperator, newAgent, newPlatform, newPlatformKey, report } = h
const { newMembership, patch, retire, endNotice, profile, reported, audited } = memberControl(h)

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS)

async function newEstablished() {
  const made = await newMembership()
  await establish(h, made.slug)
  return made
}

describe('PATCH /agents/{reg} with platform_slug', () => {
  it('joins its first platform immediately, and moves to the next after a notice of seven days', async () => {
    const { owner, platform, slug } = await newEstablished()
    const next = await newPlatform(await newOperator(), { webhook_url: NOBODY_LISTENS })
    const { reg } = await newAgent(owner)
    const joined = await patch(owner, reg, { platform_slug: slug, name: 'Joined' })
    expect(joined.body).toMatchObject({ platform_slug: slug, platform_state: 'claimed', name: 'Joined' })
    const requested = await patch(owner, reg, { platform_slug: next.slug })
    expect(requested.body).toMatchObject({ platform_slug: slug, next_platform_slug: next.slug })
    const leaves = new Date(requested.body.platform_leaves_at)
    expect((leaves.getTime() - Date.now()) / DAY_MS).toBeCloseTo(7, 2)
    expect(await profile(reg)).toMatchObject({ platform_leaves_at: leaves.toISOString() })
    await h.cron()
    expect(await profile(reg)).toMatchObject({ platform_slug: slug })
    await endNotice(reg)
    await h.cron()
    expect(await profile(reg)).toMatchObject({
      platform_slug: next.slug,
      platform_state: 'claimed',
      platform_leaves_at: null,
    })
    expect((await reported(platform)).slice(1)).toEqual([
      'agent.registered claimed',
      'agent.updated platform_slug',
    ])
    expect(await reported(next)).toEqual(['agent.registered claimed'])
    expect(await audited(owner, reg)).toEqual(['agent.platform_changed', 'agent.platform_changed'])
  })

  it('keeps its leave date for another target, and stays if its own platform is named again', async () => {
    const { owner, platform, slug, reg } = await newEstablished()
    const next = await newPlatform(await newOperator())
    const first = await patch(owner, reg, { platform_slug: null }, inDays(-2))
    const second = await patch(owner, reg, { platform_slug: next.slug })
    expect(second.body).toMatchObject({
      platform_leaves_at: first.body.platform_leaves_at,
      next_platform_slug: next.slug,
    })
    expect((await patch(owner, reg, { platform_slug: slug })).body).toMatchObject({
      platform_slug: slug,
      platform_leaves_at: null,
      next_platform_slug: null,
    })
    const { body } = await api('GET', '/operators/me/agents', { token: owner.token })
    expect(body.data).toMatchObject([{ reg, next_platform_slug: null }])
    await endNotice(reg)
    expect(await profile(reg)).toMatchObject({ platform_slug: slug })
    expect(await reported(platform)).toEqual(['agent.registered claimed'])
  })

  it('lets the platform report until the agent has left', async () => {
    const { host, owner, slug, reg } = await newEstablished()
    const { key } = await newPlatformKey(host, slug)
    await patch(owner, reg, { platform_slug: null })
    await report(key, reg, { event_type: 'incident' })
    await endNotice(reg)
    const body = { reg, event_type: 'incident' }
    const late = await api('POST', '/activity/report', { token: key, body })
    expectError(late, 403, 'FORBIDDEN')
    expect(await profile(reg)).toMatchObject({ platform_slug: null })
  })

  it('leaves a platform that is not established at once, which can then not report on it', async () => {
    const { host, owner, platform, slug, reg } = await newMembership()
    const { key } = await newPlatformKey(host, slug)
    const next = await newPlatform(await newOperator(), { webhook_url: NOBODY_LISTENS })
    const moved = await patch(owner, reg, { platform_slug: next.slug })
    expect(moved.body).toMatchObject({ platform_slug: next.slug, platform_leaves_at: null })
    const body = { reg, event_type: 'incident', severity: 'critical' }
    expectError(await api('POST', '/activity/report', { token: key, body }), 403, 'FORBIDDEN')
    expect((await reported(platform)).at(-1)).toBe('agent.updated platform_slug')
    expect(await reported(next)).toEqual(['agent.registered claimed'])
  })

  it('changes nothing if the platform is unknown or the agent is deactivated', async () => {
    const { owner, slug, reg } = await newMembership()
    const unknown = await patch(owner, reg, { platform_slug: 'no-such-platform', name: 'Renamed' })
    expectError(unknown, 404, 'NOT_FOUND', /platform_slug: there is no platform 'no-such-platform'/)
    expect(await profile(reg)).toMatchObject({ name: 'Scout', platform_leaves_at: null })
    const both = await patch(owner, reg, { platform_slug: slug, status: 'deactivated' })
    expectError(both, 400, 'VALIDATION_ERROR', /platform_slug: /)
    const idle = await newAgent(owner)
    await patch(owner, idle.reg, { status: 'deactivated' })
    expectError(await patch(owner, idle.reg, { platform_slug: slug }), 410, 'AGENT_DEACTIVATED')
    expect((await patch(owner, reg, { platform_slug: null, status: 'deactivated' })).status).toBe(200)
  })

  it('leaves without joining if the next platform was retired, and notifies the operator', async () => {
    const { owner, reg } = await newEstablished()
    const host = await newOperator()
    const next = await newPlatform(host)
    await patch(owner, reg, { platform_slug: next.slug })
    await retire(host, next.slug)
    await endNotice(reg)
    expect(await profile(reg)).toMatchObject({ platform_slug: null, platform_leaves_at: null })
    const { body } = await api('GET', '/operators/me/notifications', { token: owner.token })
    expect(body.data).toMatchObject([
      { type: 'platform_membership', title: `Scout could not join ${next.slug}` },
    ])
  })
})
