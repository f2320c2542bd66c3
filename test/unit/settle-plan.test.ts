import { describe, expect, it } from 'vitest'
import { type Ending, planSettlement, type Settling } from '../../src/kyc/settle-plan.ts'
import { ANOTHER_PERSON } from '../../src/kyc/terms.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
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
    expect(plan(other, verified())?.operator.kyc_identity_released).toBe(false)
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

it('a second failure of a failed check changes nothing', () => {
  const failed = settling({ status: 'failed', reason: 'blurred' })
  expect(plan(failed, { status: 'failed', reason: 'expired' })).toBeNull()
})

it('a reason is kept up to 500 characters, cut between characters', () => {
  const reason = '😀'.repeat(501)
  expect(plan(settling(), { status: 'failed', reason })?.check.reason).toBe('😀'.repeat(500))
})
