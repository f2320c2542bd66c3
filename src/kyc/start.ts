import type { Db } from '../db/client.ts'
import type { Env } from '../env.ts'
import { uuidv7 } from '../lib/ids.ts'
import { utcDay } from '../lib/time.ts'
import type { Publication } from '../webhooks/outbox/store.ts'
import { type KycProvider, type ProviderSession, providerAway } from './provider.ts'
import { settle, settleVerified } from './settle.ts'
import { countUnused, type KycState, openCheck } from './store.ts'
import { CHECK_MS, CHECKS_PER_DAY, expiryOf, renewableUntil, renewalOf } from './terms.ts'

interface Start {
  db: Db
  provider: KycProvider
  env: Pick<Env, 'IDENTITY_KEY'>
  operatorId: string
  kyc: KycState
  now: Date
  /** Takes work that the response does not wait for. */
  waitUntil: (work: Promise<unknown>) => void
}

export type Started =
  | { outcome: 'pending'; kyc_status: KycState['kyc_status']; verification_url: string | null }
  | { outcome: 'verified'; renewable_at: Date; deliveries: Publication[] | null }
  /** The pending check has just failed: its document belongs to a different person than before. */
  | { outcome: 'another_person' }
  /** Another call opened a check that has already ended. */
  | { outcome: 'overtaken' }
  /** The maximum of checks per day is reached. */
  | { outcome: 'used_up' }

/**
 * Starts a check, or continues the pending one; at most four network steps, including the credential's, and one more if
 * another call was faster.
 *
 * The idempotency key at the provider contains the number of the check on its day: concurrent calls share a session, and
 * the provider never creates more sessions per day than the maximum.
 *
 * @throws ApiError 503 if the provider is unavailable
 */
export async function startCheck(start: Start): Promise<Started> {
  const { db, provider, env, kyc, now, waitUntil } = start
  const { kyc_status, kyc_expires_at, check } = kyc
  const renewable_at = kyc_expires_at === null ? null : renewalOf(new Date(kyc_expires_at))
  if (kyc_status === 'verified' && renewable_at && renewable_at > now) {
    return { outcome: 'verified', renewable_at, deliveries: null }
  }
  if (check?.status !== 'pending') return openNew(start)
  const session = await provider.find(check.provider_session_id)
  const ended = { id: session.id, check: { check, operator: kyc }, provider_event: null }
  if (session.state === 'verified') {
    const settled = await settleVerified({ db, provider, env, now }, ended)
    if (settled?.status === 'failed') return { outcome: 'another_person' }
    const deliveries = settled?.deliveries ?? null
    return { outcome: 'verified', renewable_at: renewalOf(expiryOf(now)), deliveries }
  }
  const ending = endingOf(session, new Date(check.created_at), now)
  if (!ending) return { outcome: 'pending', kyc_status, verification_url: session.url }
  if (session.state === 'open') waitUntil(discard(provider, session.id))
  return openNew(start, () => settle(db, ended, () => ending, now))
}

/** Opens a session at the provider, in parallel ends the previous check, then opens the new one in the database. */
async function openNew(start: Start, settleBefore?: () => Promise<unknown>): Promise<Started> {
  const { db, provider, operatorId, kyc, now, waitUntil } = start
  const { opened_today } = kyc
  if (opened_today >= CHECKS_PER_DAY) {
    await settleBefore?.()
    return { outcome: 'used_up' }
  }
  const [session] = await Promise.all([
    provider.create(operatorId, `kyc-${operatorId}-${utcDay(now)}-${opened_today}`),
    settleBefore?.(),
  ])
  const countSession = () => countUnused(db, operatorId, opened_today, now)
  if (session === 'faulty') {
    waitUntil(countSession())
    throw providerAway()
  }
  const after = await openCheck(db, {
    id: uuidv7(now),
    operator_id: operatorId,
    session_id: session.id,
    unless_valid_after: renewableUntil(now),
    now,
  })
  const { kyc_status, session_id } = after
  if (session_id === session.id) return { outcome: 'pending', kyc_status, verification_url: session.url }
  waitUntil(Promise.all([discard(provider, session.id), countSession()]))
  if (session_id === null) {
    return { outcome: after.opened_today >= CHECKS_PER_DAY ? 'used_up' : 'overtaken' }
  }
  const { url } = await provider.find(session_id)
  return { outcome: 'pending', kyc_status, verification_url: url }
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
