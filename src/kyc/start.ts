import type { Db } from '../db/client.ts'
import type { Env } from '../env.ts'
import { uuidv7 } from '../lib/ids.ts'
import { utcDay } from '../lib/time.ts'
import type { Publication } from '../webhooks/outbox/store.ts'
import { type KycProvider, type ProviderSession, providerAway } from './provider.ts'
import { settleVerified } from './settle.ts'
import { settleCheck } from './settle-store.ts'
import { countUnused, type KycState, openCheck } from './store.ts'
import { CHECK_MS, CHECKS_PER_DAY, expiryOf, renewableUntil, renewalOf } from './terms.ts'

interface Start {
  db: Db
  provider: KycProvider
  env: Pick<Env, 'IDENTITY_KEY'>
  operatorId: string
  kyc: KycState
  now: Date
  /** Takes work that nobody waits for. */
  waitUntil: (work: Promise<unknown>) => void
}

export type Started =
  | { outcome: 'pending'; kyc_status: KycState['kyc_status']; verification_url: string | null }
  | { outcome: 'verified'; renewable_at: Date; deliveries: Publication[] | null }
  /** The check under way has just ended with the document of another person than before. */
  | { outcome: 'another_person' }
  /** Another call has opened a check and seen its end meanwhile. */
  | { outcome: 'overtaken' }
  /** All checks of this day were opened. */
  | { outcome: 'used_up' }

/**
 * Starts a check, or finds the one that is under way; at most four network steps, the credential's included, one more
 * when another call was faster.
 *
 * The provider is asked under the number of the check in its day: calls at the same time share a session, and it makes no
 * more sessions in a day than there are numbers, whatever comes of them here.
 *
 * @throws ApiError 503 when the provider is away
 */
export async function startCheck(start: Start): Promise<Started> {
  const { db, provider, env, kyc, now, waitUntil } = start
  const { name, kyc_status, kyc_expires_at, check } = kyc
  const renewable_at = kyc_expires_at === null ? null : renewalOf(new Date(kyc_expires_at))
  if (kyc_status === 'verified' && renewable_at && renewable_at > now) {
    return { outcome: 'verified', renewable_at, deliveries: null }
  }
  if (check?.status !== 'pending') return openNew(start)
  const session = await provider.find(check.session_id)
  if (session.state === 'verified') {
    const found = { id: session.id, check: { ...check, name }, provider_event: null }
    const settled = await settleVerified({ db, provider, env, now }, found)
    if (settled?.status === 'failed') return { outcome: 'another_person' }
    const deliveries = settled?.deliveries ?? null
    return { outcome: 'verified', renewable_at: renewalOf(expiryOf(now)), deliveries }
  }
  const ending = endingOf(session, new Date(check.created_at), now)
  if (!ending) return { outcome: 'pending', kyc_status, verification_url: session.url }
  if (session.state === 'open') waitUntil(discard(provider, session.id))
  const settle = () => settleCheck(db, { session_id: session.id, ending, provider_event: null }, now)
  return openNew(start, settle)
}

/** Opens a session at the provider, ends the check before it meanwhile, and has the database decide what counts. */
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
  const countIt = () => countUnused(db, operatorId, opened_today, now)
  if (session === 'faulty') {
    waitUntil(countIt())
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
  waitUntil(Promise.all([discard(provider, session.id), countIt()]))
  if (session_id === null) {
    return { outcome: after.opened_today >= CHECKS_PER_DAY ? 'used_up' : 'overtaken' }
  }
  const { url } = await provider.find(session_id)
  return { outcome: 'pending', kyc_status, verification_url: url }
}

/** How a check has ended unverified, by what the provider says and by its age; null when it has not. */
function endingOf(session: ProviderSession, startedAt: Date, now: Date) {
  const { state, reason } = session
  if (state === 'failed' || state === 'canceled') return { status: state, reason }
  const isOver = state === 'open' && now.getTime() - startedAt.getTime() >= CHECK_MS
  return isOver ? { status: 'canceled' as const, reason: 'not completed within 24 hours' } : null
}

/** The provider has logged why it could not; the session then ends unused. */
async function discard(provider: KycProvider, sessionId: string): Promise<void> {
  await provider.cancel(sessionId).catch(() => undefined)
}
