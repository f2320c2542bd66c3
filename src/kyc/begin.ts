import type * as z from 'zod'
import type { Token } from '../credentials/token.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { endOfDay, utcDay } from '../lib/time.ts'
import { publishAfterResponse } from '../webhooks/outbox/publish.ts'
import { rejectedToday } from '../wire/quota.ts'
import type { kycStarted } from './responses.ts'
import { settle, settleVerified } from './settle.ts'
import { countUnused, findKyc, type KycState, openCheck } from './store.ts'
import { type KycProvider, type ProviderSession, providerAway, stripeIdentity } from './stripe.ts'
import { CHECK_MS, CHECKS_PER_DAY, expiryOf, renewalOf } from './terms.ts'

/** Reads the KYC state of the session's operator, in parallel with the credential. */
export function readKyc(c: Ctx, { id }: Token): Promise<KycState | null> {
  return findKyc(c.get('db'), id, c.get('now')())
}

type Begun = z.infer<typeof kycStarted>

/**
 * Starts an identity check of the caller, or continues the pending one; at most four network steps, including the
 * credential's, and one more if another call was faster.
 *
 * @param kyc the result of `readKyc`
 * @returns the URL for the person
 * @throws ApiError CONFLICT if already verified, RATE_LIMITED after the maximum of checks per day, 503 if the provider is
 * unavailable
 */
export async function beginCheck(c: Ctx, kyc: KycState | null): Promise<Begun> {
  if (!kyc) throw new Error('the operator of an active session does not exist')
  const { db, env, signal, waitUntil } = c.var
  const now = c.var.now()
  const provider = stripeIdentity(env, signal)
  const { kyc_status, kyc_expires_at, check } = kyc
  const renewableAt = kyc_expires_at === null ? null : renewalOf(new Date(kyc_expires_at))
  if (kyc_status === 'verified' && renewableAt && renewableAt > now) throw alreadyVerified(renewableAt)
  if (check?.status !== 'pending') return openNew(c, provider, kyc, now)
  const session = await provider.find(check.provider_session_id)
  const ended = { id: session.id, check: { check, operator: kyc } }
  if (session.state === 'verified') {
    const settled = await settleVerified({ db, provider, env, now }, ended)
    if (settled?.status === 'failed') throw anotherPerson()
    publishAfterResponse(c, settled?.deliveries ?? null)
    throw alreadyVerified(renewalOf(expiryOf(now)))
  }
  const ending = endingOf(session, new Date(check.created_at), now)
  if (!ending) return { kyc_status, verification_url: session.url }
  if (session.state === 'open') waitUntil(discard(provider, session.id))
  return openNew(c, provider, kyc, now, () => settle(db, ended, () => ending, now))
}

/**
 * Opens a session at the provider, in parallel ends the previous check, then opens the new one in the database.
 *
 * The idempotency key at the provider contains the number of the check on its day: concurrent calls share a session, and
 * the provider never creates more sessions per day than the maximum.
 */
async function openNew(
  c: Ctx,
  provider: KycProvider,
  { id: operator_id, opened_today }: KycState,
  now: Date,
  settleBefore?: () => Promise<unknown>,
): Promise<Begun> {
  const { db, waitUntil } = c.var
  if (opened_today >= CHECKS_PER_DAY) {
    await settleBefore?.()
    throw checksUsedUp(now)
  }
  const [session] = await Promise.all([
    provider.create(operator_id, `kyc-${operator_id}-${utcDay(now)}-${opened_today}`),
    settleBefore?.(),
  ])
  const countSession = () => countUnused(db, operator_id, opened_today, now)
  if (session === 'faulty') {
    waitUntil(countSession())
    throw providerAway()
  }
  const after = await openCheck(db, operator_id, session.id, now)
  const { kyc_status, session_id } = after
  if (session_id === session.id) return { kyc_status, verification_url: session.url }
  waitUntil(Promise.all([discard(provider, session.id), countSession()]))
  if (session_id !== null) return { kyc_status, verification_url: (await provider.find(session_id)).url }
  if (after.opened_today >= CHECKS_PER_DAY) throw checksUsedUp(now)
  throw new ApiError('CONFLICT', 'the previous check has just ended; start again') // a check that another call opened
}

/** How a check ended without verification, by the state and age of its session; null if it has not ended. */
function endingOf(session: ProviderSession, startedAt: Date, now: Date) {
  const { state, reason } = session
  if (state === 'failed' || state === 'canceled') return { status: state, reason }
  const isOver = state === 'open' && now.getTime() - startedAt.getTime() >= CHECK_MS
  return isOver ? { status: 'canceled' as const, reason: 'not completed within 24 hours' } : null
}

/** Cancels an unused session; errors are logged by the provider's client. */
async function discard(provider: KycProvider, sessionId: string): Promise<void> {
  await provider.cancel(sessionId).catch(() => undefined)
}

function alreadyVerified(renewableAt: Date): ApiError {
  return new ApiError(
    'CONFLICT',
    `you are already verified; you can start a new check from ${renewableAt.toISOString()}`,
  )
}

function anotherPerson(): ApiError {
  return new ApiError(
    'CONFLICT',
    'the check failed: the document belongs to a different person than the one verified before; start again with a document of the person verified before, or ask the administrator of this registry to allow a different person',
  )
}

function checksUsedUp(now: Date): ApiError {
  const until = endOfDay(now).toISOString()
  return rejectedToday(
    `at most ${CHECKS_PER_DAY} identity checks per UTC day; you can start the next one from ${until}`,
    now,
  )
}
