import type * as z from 'zod'
import { takeAllowances } from '../allowances/store.ts'
import { connect, type Db } from '../db/client.ts'
import type { Env } from '../env.ts'
import type { Actor } from '../http/context.ts'
import type { Publication } from '../webhooks/outbox/store.ts'
import { probe } from './probe.ts'
import type { ownership } from './responses.ts'
import { type Challenge, type Ownership, ownershipQuery, recordMiss, recordProof } from './store.ts'

const WRITE_MS = 5_000 // a new deadline: the check can use up the request's five seconds

export type Verified =
  | { outcome: 'verified'; ownership: z.infer<typeof ownership>; deliveries: Publication[] | null }
  | { outcome: 'rejected'; why: string }
  | { outcome: 'no-resolver' }

/**
 * Looks up the proof of an agent's pending challenge, and records that it was found, or what was found instead.
 *
 * @param ownership the agent's challenges; without a pending one, nothing is looked up
 * @throws ApiError RATE_LIMITED if the operator has had as many looked up as it may
 */
export async function verifyOwnership(
  { env, db }: { env: Env; db: Db },
  reg: string,
  caller: Pick<Actor, 'operator_id' | 'tier'>,
  { pending, verified }: Ownership,
  now: () => Date,
): Promise<Verified> {
  if (!pending) {
    if (verified) return { outcome: 'verified', ownership: toOwnership(reg, verified), deliveries: null }
    return { outcome: 'rejected', why: `agent ${reg} has no pending challenge; create one first` }
  }
  if (Date.parse(pending.expires_at) <= now().getTime()) {
    return { outcome: 'rejected', why: `the challenge for ${pending.domain} has expired; create a new one` }
  }
  await takeAllowances(db, caller, ['looks', 'looks_of_day'], now())
  const result = await probe(env, { reg, ...pending })
  if (result.outcome === 'unknown') return { outcome: 'no-resolver' }
  const at = now()
  const { operator_id } = caller
  const fresh = connect(env, AbortSignal.timeout(WRITE_MS))
  if (result.outcome === 'missed') {
    await recordMiss(fresh, pending.id, result.why, at)
    return { outcome: 'rejected', why: result.why }
  }
  const { deliveries = null, refusal } = await recordProof(fresh, { reg, operator_id }, pending, at)
  if (!refusal) {
    const proof = { ...pending, verified_at: at.toISOString() }
    return { outcome: 'verified', ownership: toOwnership(reg, proof), deliveries }
  }
  const [ownership] = await ownershipQuery(fresh, reg, operator_id)
  const proof = ownership?.verified
  if (proof?.id === pending.id) {
    return { outcome: 'verified', ownership: toOwnership(reg, proof), deliveries: null } // by a concurrent request
  }
  return {
    outcome: 'rejected',
    why: 'a newer challenge has replaced this one; publish the proof of the newer one',
  }
}

function toOwnership(reg: string, { domain, method, verified_at }: Challenge) {
  if (verified_at === null) throw new Error('a verified challenge has no time of verification')
  return { reg, ownership_status: 'verified' as const, domain, method, verified_at }
}
