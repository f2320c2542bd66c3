import { requireCaller } from '../credentials/authorize.ts'
import type { Token } from '../credentials/token.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { endOfDay } from '../lib/time.ts'
import { publishAfterResponse } from '../webhooks/outbox/publish.ts'
import { rejectedToday } from '../wire/quota.ts'
import { startCheck } from './start.ts'
import { findKyc, type KycState } from './store.ts'
import { stripeIdentity } from './stripe.ts'
import { CHECKS_PER_DAY } from './terms.ts'

/** Reads the KYC state of the session's operator, in parallel with the credential. */
export function readKyc(c: Ctx, { id }: Token): Promise<KycState | null> {
  return findKyc(c.get('db'), id, c.get('now')())
}

/**
 * Starts an identity check of the caller, or continues the pending one.
 *
 * @param kyc the result of `readKyc`
 * @returns the URL for the person; null while the documents are being checked
 * @throws ApiError CONFLICT if already verified, RATE_LIMITED after the maximum of checks per day, 503 if the provider is
 * unavailable
 */
export async function beginCheck(c: Ctx, kyc: KycState | null) {
  if (!kyc) throw new Error('the operator of an active session does not exist')
  const { db, env, signal, now, waitUntil } = c.var
  const at = now()
  const operatorId = requireCaller(c).operator_id
  const provider = stripeIdentity(env, signal)
  const started = await startCheck({ db, provider, env, operatorId, kyc, now: at, waitUntil })
  switch (started.outcome) {
    case 'pending': {
      const { kyc_status, verification_url } = started
      return { kyc_status, verification_url }
    }
    case 'verified':
      publishAfterResponse(c, started.deliveries)
      throw new ApiError(
        'CONFLICT',
        `you are already verified; you can start a new check from ${started.renewable_at.toISOString()}`,
      )
    case 'another_person':
      throw new ApiError(
        'CONFLICT',
        'the check failed: the document belongs to a different person than the one verified before; start again with a document of the person verified before, or ask the administrator of this registry to allow a different person',
      )
    case 'used_up':
      throw checksUsedUp(at)
    case 'overtaken':
      throw new ApiError('CONFLICT', 'the previous check has just ended; start again')
  }
}

function checksUsedUp(now: Date): ApiError {
  const until = endOfDay(now).toISOString()
  return rejectedToday(
    `at most ${CHECKS_PER_DAY} identity checks per UTC day; you can start the next one from ${until}`,
    now,
  )
}
