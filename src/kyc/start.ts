import type { Db } from '../db/client.ts'
import { uuidv7 } from '../lib/ids.ts'
import type { Publication } from '../webhooks/outbox/store.ts'
import type { KycProvider, ProviderSession } from './provider.ts'
import { type Ending, settleCheck } from './settle-store.ts'
import { openCheck, type Standing } from './store.ts'
import { CHECK_MS, expiryOf, renewableUntil, renewalOf } from './terms.ts'

const REQUEST_KEY_MS = 600_000 // an answer that the provider keeps for the key, an error too, holds no longer

interface Start {
  db: Db
  provider: KycProvider
  operatorId: string
  standing: Standing
  now: Date
  /** Takes work that nobody waits for. */
  later: (work: Promise<unknown>) => void
}

export type Started =
  | { outcome: 'pending'; kyc_status: Standing['kyc_status']; verification_url: string | null }
  | { outcome: 'verified'; renewable_at: Date; deliveries: Publication[] | null }
  /** Another call has opened a check and seen its end meanwhile. */
  | { outcome: 'overtaken' }

/**
 * Starts a check, or finds the one that is under way; at most four network steps, the credential's included.
 *
 * Calls at the same time share a session at the provider by its request key; of different sessions the database
 * lets one count, and the others are cancelled.
 */
export async function startCheck(start: Start): Promise<Started> {
  const { db, provider, standing, now, later } = start
  const { kyc_status, kyc_expires_at, check } = standing
  const renewable_at = kyc_expires_at === null ? null : renewalOf(new Date(kyc_expires_at))
  if (kyc_status === 'verified' && renewable_at && renewable_at > now) {
    return { outcome: 'verified', renewable_at, deliveries: null }
  }
  if (check?.status !== 'pending') return openNew(start)
  const session = await provider.find(check.session_id)
  const ending = endingOf(session, new Date(check.created_at), now)
  if (!ending) return { outcome: 'pending', kyc_status, verification_url: session.url }
  const settle = () => settleCheck(db, { session_id: session.id, ending, provider_event: null }, now)
  if (ending.status === 'verified') {
    return { outcome: 'verified', renewable_at: renewalOf(expiryOf(now)), ...(await settle()) }
  }
  if (session.state === 'open') later(discard(provider, session.id))
  return openNew(start, settle)
}

/** Opens a session at the provider, ends the check before it meanwhile, and has the database decide what counts. */
async function openNew(start: Start, settleBefore?: () => Promise<unknown>): Promise<Started> {
  const { db, provider, operatorId, standing, now, later } = start
  const [session] = await Promise.all([
    provider.create(operatorId, requestKey(operatorId, standing.check?.id ?? 'first', now)),
    settleBefore?.(),
  ])
  const { kyc_status, session_id } = await openCheck(db, {
    id: uuidv7(now),
    operator_id: operatorId,
    session_id: session.id,
    unless_valid_after: renewableUntil(now),
    now,
  })
  if (session_id === session.id) return { outcome: 'pending', kyc_status, verification_url: session.url }
  later(discard(provider, session.id))
  if (session_id === null) return { outcome: 'overtaken' }
  const { url } = await provider.find(session_id)
  return { outcome: 'pending', kyc_status, verification_url: url }
}

/** How a check has ended, by what the provider says and by its age; null when it has not. */
function endingOf(session: ProviderSession, startedAt: Date, now: Date): Ending | null {
  if (session.state === 'open') {
    if (now.getTime() - startedAt.getTime() < CHECK_MS) return null
    return { status: 'canceled', reason: 'not completed within 24 hours' }
  }
  return session.state === 'processing' ? null : { status: session.state, reason: session.reason }
}

function requestKey(operatorId: string, previousCheck: string, now: Date): string {
  return `kyc-${operatorId}-${previousCheck}-${Math.floor(now.getTime() / REQUEST_KEY_MS)}`
}

/** The provider has logged why it could not; the session then ends unused. */
async function discard(provider: KycProvider, sessionId: string): Promise<void> {
  await provider.cancel(sessionId).catch(() => undefined)
}
