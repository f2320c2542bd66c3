import { describe, expect, it } from 'vitest'
import { depart, type Target } from '../../src/members/membership.ts'
import { rejectionNotice, removalNotice } from '../../src/members/notices.ts'

const NOW = new Date('2026-11-21T12:34:56Z')
const NOTICE = { operator_id: 'own', type: 'platform_membership', reg: 'REG-2026-0001-0042-4' }

const target = (given: Partial<Target> = {}): Target => ({
  id: 'b',
  slug: 'market-b',
  name: 'B',
  status: 'active',
  operator_id: 'another',
  operator_status: 'active',
  removed_at: null,
  established_at: NOW.toISOString(),
  ...given,
})
const leave = (next: Target | null, status: 'active' | 'deactivated' = 'active') =>
  depart({ operator_id: 'own', status, next }, NOW)

describe('an agent that leaves its platform', () => {
  it('is on none without a next platform', () => {
    expect(leave(null)).toMatchObject({ placement: { platform: null, state: null }, rejection: null })
  })

  it.each([
    ['another', 'claimed'],
    ['own', 'confirmed'],
  ])('joins its next platform, of operator %s, as %s', (operator_id, state) => {
    const next = target({ operator_id })
    const placement = { platform: next, state, since: NOW.toISOString(), leaves_at: null, next: null }
    expect(leave(next)).toEqual({ placement, rejection: null })
  })

  it.each([
    ['deactivated', leave(target({ removed_at: NOW.toISOString() }), 'deactivated')],
    ['removed', leave(target({ removed_at: NOW.toISOString(), status: 'retired' }))],
    ['retired', leave(target({ status: 'retired', operator_status: 'suspended' }))],
    ['suspended', leave(target({ operator_status: 'suspended' }))],
  ])('is on none if its next platform rejects it: %s', (rejection, departure) => {
    expect(departure).toMatchObject({ placement: { platform: null, next: null }, rejection })
  })
})

describe('the notification of its operator', () => {
  const member = (next: Target | null) => ({
    operator_id: 'own',
    agent: { reg: NOTICE.reg, name: 'Scout' },
    placement: { platform: target({ id: 'a' }), state: null, since: null, leaves_at: null, next },
  })

  it('about a removal names the end of the bar, and the platform that the agent joined', () => {
    const body =
      'The platform ended the membership. The agent cannot join market-a again before 2026-12-21 12:34 UTC.'
    const notice = (next: Target | null) => removalNotice(member(next), 'market-a', leave(next), NOW)
    expect(notice(null)).toEqual({ ...NOTICE, title: 'Scout was removed from market-a', body })
    expect(notice(target({ status: 'retired' })).body).toBe(body)
    expect(notice(target()).body).toBe(`${body} It joined market-b, as you requested.`)
  })

  it.each([
    [{ status: 'retired' as const }, 'market-b is retired.'],
    [{ removed_at: NOW.toISOString() }, 'market-b removed it within the last 30 days.'],
    [{ operator_status: 'suspended' as const }, 'market-b does not accept agents at the moment.'],
  ])('about a rejection says why: %o', (given, why) => {
    const next = target(given)
    expect(rejectionNotice(member(next), leave(next))).toEqual({
      ...NOTICE,
      title: 'Scout could not join market-b',
      body: `It left its platform, as you requested, and is now on none: ${why}`,
    })
  })

  it('about a rejection is omitted if the agent joined, had no next platform, or was deactivated', () => {
    const next = target()
    expect(rejectionNotice(member(next), leave(next))).toBe(null)
    expect(rejectionNotice(member(null), leave(null))).toBe(null)
    expect(rejectionNotice(member(next), leave(next, 'deactivated'))).toBe(null)
  })
})
