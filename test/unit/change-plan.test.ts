import { describe, expect, it } from 'vitest'
import { type Changeable, planChange } from '../../src/agents/change-plan.ts'
import type { Target } from '../../src/members/membership.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const IN_A_WEEK = '2026-11-28T12:00:00.000Z'

const target = (id: string, given: Partial<Target> = {}): Target => ({
  id,
  slug: id,
  name: id.toUpperCase(),
  status: 'active',
  operator_id: 'another',
  operator_status: 'active',
  removed_at: null,
  established_at: NOW.toISOString(),
  ...given,
})
const agent = (given: Partial<Changeable> & { status?: 'deactivated' } = {}): Changeable => ({
  agent: {
    name: 'One',
    description: '',
    specializations: ['a'],
    homepage_url: null,
    card_url: null,
    status: given.status ?? 'active',
  },
  operator_id: 'own',
  placement: { platform: null, state: null, since: null, leaves_at: null, next: null },
  ...given,
})
const on = (platform: Target, given: object = {}) =>
  agent({
    placement: {
      platform,
      state: 'confirmed',
      since: '2026-11-01T00:00:00.000Z',
      leaves_at: null,
      next: null,
      ...given,
    },
  })

const plan = (found: Changeable, changes: Parameters<typeof planChange>[1], to: Target | null = null) =>
  planChange(found, changes, to, NOW)

describe('a change of texts', () => {
  it('contains only what differs, and counts', () => {
    const changes = { name: 'Two', description: '', specializations: ['a'], card_url: 'https://a.example/' }
    expect(plan(agent(), changes)).toMatchObject({
      set: {
        name: 'Two',
        name_changed_at: NOW.toISOString(),
        card_url: 'https://a.example/',
      },
      changed: ['name', 'card_url'],
      counts: true,
      actions: [],
    })
  })

  it('writes nothing if nothing differs', () => {
    const changes = { name: 'One', homepage_url: null, platform_slug: null }
    expect(plan(agent(), changes)).toMatchObject({ set: null, counts: false })
  })
})

describe('a deactivation', () => {
  it('is not repeated', () => {
    expect(plan(agent(), { name: 'Two', status: 'deactivated' })).toMatchObject({
      set: { name: 'Two', status: 'deactivated' },
      deactivates: true,
      actions: ['agent.deactivated'],
    })
    expect(plan(agent({ status: 'deactivated' }), { status: 'deactivated' })).toMatchObject({
      set: null,
      deactivates: false,
    })
  })
})

describe('a move', () => {
  it('to the first platform happens at once: confirmed on an own one, else claimed', () => {
    for (const [operator_id, state] of [
      ['own', 'confirmed'],
      ['another', 'claimed'],
    ] as const) {
      const to = target('b', { operator_id })
      expect(plan(agent(), { platform_slug: 'b' }, to)).toMatchObject({
        set: { platform_id: 'b', platform_state: state, platform_since: NOW.toISOString() },
        joins: true,
        target_id: 'b',
        actions: ['agent.platform_changed'],
      })
    }
  })

  it('from a platform waits for the notice, which another target does not restart', () => {
    const first = plan(on(target('a')), { platform_slug: 'b' }, target('b'))
    expect(first).toMatchObject({
      set: { platform_id: 'a', platform_leaves_at: IN_A_WEEK, next_platform_id: 'b' },
      joins: false,
      target_id: 'b',
    })
    const leaving = on(target('a'), { leaves_at: '2026-11-22T00:00:00.000Z', next: target('b') })
    expect(plan(leaving, { platform_slug: 'c' }, target('c'))).toMatchObject({
      set: { platform_leaves_at: '2026-11-22T00:00:00.000Z', next_platform_id: 'c' },
    })
    expect(plan(leaving, { platform_slug: 'a' }, target('a', { status: 'retired' }))).toMatchObject({
      set: { platform_id: 'a', platform_leaves_at: null, next_platform_id: null },
      target_id: null,
    })
  })

  it('from a retired platform happens at once', () => {
    const retired = on(target('a', { status: 'retired' }))
    expect(plan(retired, { platform_slug: null })).toMatchObject({ set: { platform_id: null }, joins: false })
  })

  it.each([
    ['unknown_platform', agent(), null],
    ['deactivated', agent({ status: 'deactivated' }), target('b')],
    ['removed', agent(), target('b', { removed_at: '2026-11-20T00:00:00.000Z' })],
    ['retired', agent(), target('b', { status: 'retired' })],
    ['suspended', agent(), target('b', { operator_status: 'suspended' })],
  ])('is rejected: %s', (rejection, found, to) => {
    expect(plan(found, { platform_slug: 'b' }, to)).toMatchObject({ rejection })
  })
})
