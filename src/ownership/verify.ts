import type * as z from 'zod'
import { connect } from '../db/client.ts'
import type { Env } from '../env.ts'
import { newEvent } from '../webhooks/outbox/events.ts'
import type { Publication } from '../webhooks/outbox/store.ts'
import { probe } from './probe.ts'
import type { ownership } from './responses.ts'
import { type Challenge, type Ownership, recordMiss, recordProof } from './store.ts'

const WRITE_MS = 5_000 // the check before it may have used up the request's own five seconds

export type Verified =
  | { outcome: 'verified'; ownership: z.infer<typeof ownership>; deliveries: Publication[] | null }
  | { outcome: 'rejected'; why: string }
  | { outcome: 'no-resolver' }

/**
 * Looks for what an agent was asked to publish, and records that it was found, or what was found instead.
 *
 * @param agent its number, and the operator who asks
 * @param ownership where the agent stood when the request began; without a pending challenge nothing is looked for
 */
export async function verifyOwnership(
  env: Env,
  { reg, operator_id }: { reg: string; operator_id: string },
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
  const seen = await probe(env, { reg, ...pending })
  if (seen.outcome === 'unknown') return { outcome: 'no-resolver' }
  const at = now()
  const db = connect(env, AbortSignal.timeout(WRITE_MS))
  if (seen.outcome === 'missed') {
    await recordMiss(db, pending.id, seen.why, at)
    return { outcome: 'rejected', why: seen.why }
  }
  const event = newEvent('agent.ownership_verified', at)
  const found = { reg, operator_id, challenge_id: pending.id, event, now: at }
  const { ownership, deliveries } = await recordProof(db, found)
  const proof = ownership?.verified
  if (proof?.id !== pending.id) {
    return { outcome: 'rejected', why: 'a newer challenge has replaced this one; publish its proof' }
  }
  return { outcome: 'verified', ownership: toOwnership(reg, proof), deliveries }
}

function toOwnership(reg: string, { domain, method, verified_at }: Challenge) {
  if (verified_at === null) throw new Error('a proof has no time')
  return { reg, ownership_status: 'verified' as const, domain, method, verified_at }
}
