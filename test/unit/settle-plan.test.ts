import { describe, expect, it } from 'vitest'
import { type Ending, planSettlement, type Settling } from '../../src/kyc/settle-plan.ts'
import { ANOTHER_PERSON } from '../../src/kyc/terms.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const AT = NOW.toISOString()
const IN_A_YEAR = '2027-11-21T12:00:00.000Z'
const EARLIER = '2026-01-01T00:00:00.000Z'

function settling(
  check: Partial<Settling['check']> = {},
  operator: Partial<Settling['operator']> = {},
): Settling {
  return {
    check: { status: 'pending', reason: null, previous_status: 'unverified', ...check },
    operator: {
      name: 'Ada Lovelace',
      kyc_status: 'pending',
      kyc_identity: null,
      kyc_identity_released: false,
      name_verified_at: null,
      ...operator,
    },
  }
}
const verified = (given: Partial<Extract<Ending, { status: 'verified' }>> = {}): Ending => ({
  status: 'verified',
  identity: 'ada',
  name: 'Ada Lovelace',
  is_name: true,
  ...given,
})
const plan = (found: Settling, ending: Ending) => planSettlement(found, ending, NOW)

describe('a verification', () => {
  it('verifies the operator, its name, and its person for a year', () => {
    expect(plan(settling(), verified())).toEqual({
      check: { status: 'verified', reason: null },
      operator: {
        kyc_status: 'verified',
        kyc_verified_at: AT,
        kyc_expires_at: IN_A_YEAR,
        kyc_identity: 'ada',
        kyc_identity_released: false,
        name_verified_at: AT,
      },
    })
  })

  it('keeps a verified name of the same or an unknown person only', () => {
    const known = settling({}, { kyc_identity: 'ada', name_verified_at: EARLIER })
    const other = settling({}, { ...known.operator, kyc_identity: 'bob', kyc_identity_released: true })
    const nameAfter = (found: Settling, identity: string | null) =>
      plan(found, verified({ identity, is_name: false }))?.operator.name_verified_at
    expect([nameAfter(known, 'ada'), nameAfter(known, null), nameAfter(other, 'ada')]).toEqual([
      EARLIER,
      EARLIER,
      null,
    ])
  })

  it('of another person fails the check, unless the identity was released', () => {
    const found = settling({ previous_status: 'expired' }, { kyc_identity: 'bob' })
    expect(plan(found, verified())).toEqual({
      check: { status: 'failed', reason: ANOTHER_PERSON },
      operator: { kyc_status: 'failed' },
    })
    const released = settling({}, { kyc_identity: 'bob', kyc_identity_released: true })
    expect(plan(released, verified())?.check.status).toBe('verified')
  })

  it('revives a failed check, but not that of another person', () => {
    expect(plan(settling({ status: 'failed', reason: 'blurred' }), verified())?.check.status).toBe('verified')
    expect(plan(settling({ status: 'failed', reason: ANOTHER_PERSON }), verified())).toBeNull()
    expect(plan(settling({ status: 'canceled' }), verified())).toBeNull()
  })

  it('that was compared with another name decides nothing', () => {
    expect(plan(settling({}, { name: 'Ada King' }), verified())).toBeNull()
  })
})

describe('an end without a verification', () => {
  it.each<[Ending, string]>([
    [{ status: 'failed', reason: 'blurred' }, 'failed'],
    [{ status: 'canceled', reason: null }, 'unverified'],
  ])('%o leaves a new operator %s', (ending, kyc_status) => {
    const { status, reason } = ending as { status: 'failed'; reason: string }
    expect(plan(settling(), ending)).toEqual({ check: { status, reason }, operator: { kyc_status } })
  })

  it('does not affect a current verification, nor a check that has ended', () => {
    const ending = { status: 'failed', reason: 'blurred' } as const
    expect(plan(settling({}, { kyc_status: 'verified' }), ending)?.operator).toEqual({})
    expect(plan(settling({ status: 'failed' }), ending)).toBeNull()
  })

  it('keeps 500 characters of its reason, between characters', () => {
    const reason = '😀'.repeat(501)
    expect(plan(settling(), { status: 'failed', reason })?.check.reason).toBe('😀'.repeat(500))
  })
})
