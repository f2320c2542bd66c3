import type { kyc_checks, operators } from '../db/schema.ts'
import { ANOTHER_PERSON, expiryOf } from './terms.ts'

const REASON_MAX = 500

type Check = typeof kyc_checks.$inferSelect
type Operator = typeof operators.$inferSelect

/** A check that ends without a verification. */
interface Rejection {
  status: 'failed' | 'canceled'
  reason: string | null
}

/** A check that the provider has verified. */
export interface Verification {
  status: 'verified'
  /** The result of `identityOf`; null if unknown. */
  identity: string | null
  /** The operator's name that the document was compared with. */
  name: string
  /** Whether the document shows that name. */
  is_name: boolean
}

export type Ending = Rejection | Verification

/** A check and its operator, to decide from how it ends. */
export interface Settling {
  check: Pick<Check, 'status' | 'reason' | 'previous_status'>
  operator: Pick<
    Operator,
    'name' | 'kyc_status' | 'kyc_identity' | 'kyc_identity_released' | 'name_verified_at'
  >
}

/** What the end of a check changes. */
export interface Settlement {
  check: { status: Ending['status']; reason: string | null }
  operator: Partial<Operator>
}

/**
 * Decides how a check ends. A pending check takes any ending; a failed one can still become verified. A verified document
 * of a different person than before fails the check. A failed or canceled renewal does not affect the current verification.
 *
 * @returns null if the check has ended, or if the operator has another name than the one that was compared
 */
export function planSettlement({ check, operator }: Settling, ending: Ending, now: Date): Settlement | null {
  const isVerified = ending.status === 'verified'
  if (isVerified ? isOver(check) : check.status !== 'pending') return null
  if (!isVerified) {
    const reason = ending.reason && [...ending.reason].slice(0, REASON_MAX).join('')
    return {
      check: { status: ending.status, reason },
      operator: statusAfter({ check, operator }, ending.status),
    }
  }
  if (ending.name !== operator.name) return null
  if (isAnotherPerson(operator, ending)) {
    const status = 'failed'
    return { check: { status, reason: ANOTHER_PERSON }, operator: statusAfter({ check, operator }, status) }
  }
  const { identity, is_name } = ending
  const isNewPerson = identity !== null && identity !== operator.kyc_identity
  const keptName = isNewPerson ? null : operator.name_verified_at
  return {
    check: { status: 'verified', reason: null },
    operator: {
      kyc_status: 'verified',
      kyc_verified_at: now.toISOString(),
      kyc_expires_at: expiryOf(now).toISOString(),
      name_verified_at: is_name ? now.toISOString() : keptName,
      ...(identity !== null && { kyc_identity: identity, kyc_identity_released: false }),
    },
  }
}

/** Whether a verification can no longer change a check. */
export function isOver({ status, reason }: Settling['check']): boolean {
  return status === 'failed' ? reason === ANOTHER_PERSON : status !== 'pending'
}

function isAnotherPerson(
  { kyc_identity, kyc_identity_released }: Settling['operator'],
  { identity }: Verification,
) {
  return !kyc_identity_released && identity !== null && kyc_identity !== null && kyc_identity !== identity
}

/** The operator's status after a check without a verification: as before it, if it was the one that was pending. */
function statusAfter({ check, operator }: Settling, status: 'failed' | 'canceled') {
  if (check.status !== 'pending' || operator.kyc_status !== 'pending') return {}
  return { kyc_status: status === 'failed' ? status : check.previous_status }
}
