import type * as z from 'zod'
import { takeAllowances } from '../allowances/store.ts'
import { requireCaller } from '../credentials/authorize.ts'
import type { Token } from '../credentials/token.ts'
import { connect } from '../db/client.ts'
import { ApiError, unavailable } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { isAgentNumber } from '../lib/agent-number.ts'
import { publishAfterResponse } from '../webhooks/outbox/publish.ts'
import { agentNotFound, foreignAgent, requireValidNumber } from '../wire/agent-number.ts'
import { probe } from './probe.ts'
import type { ownership } from './responses.ts'
import {
  type Challenge,
  findOwnership,
  type Ownership,
  ownershipQuery,
  recordMiss,
  recordProof,
} from './store.ts'

const WRITE_MS = 5_000 // a new deadline: the check can use up the request's five seconds

/** Reads the challenges of the agent in the path, in parallel with the credential. */
export async function readOwnership(c: Ctx, { id }: Token): Promise<Ownership | null> {
  const reg = c.req.param('reg') ?? ''
  return isAgentNumber(reg) ? findOwnership(c.get('db'), reg, id) : null
}

/**
 * Looks up the proof of the pending challenge of the caller's agent, and records that it was found, or what was found
 * instead; if it is found, notifies the agent's platform. Without a pending challenge, nothing is looked up.
 *
 * @param found the result of `readOwnership`
 * @throws ApiError NOT_FOUND; FORBIDDEN if the agent belongs to another operator; CONFLICT with what was found instead;
 * RATE_LIMITED; 503 if the resolver is unavailable
 */
export async function checkOwnership(
  c: Ctx,
  reg: string,
  found: Ownership | null,
): Promise<z.infer<typeof ownership>> {
  const { env, db, now } = c.var
  requireValidNumber(reg)
  if (!found) throw agentNotFound(reg)
  if (!found.owned) throw foreignAgent(reg)
  const { pending, verified } = found
  if (!pending && verified) return toOwnership(reg, verified)
  if (!pending) throw rejected(`agent ${reg} has no pending challenge; create one first`)
  if (Date.parse(pending.expires_at) <= now().getTime())
    throw rejected(`the challenge for ${pending.domain} has expired; create a new one`)
  const caller = requireCaller(c)
  await takeAllowances(db, caller, ['looks', 'looks_of_day'], now())
  const result = await probe(env, { reg, ...pending })
  if (result.outcome === 'unknown') throw unavailable('the DNS resolver is not responding; try again shortly')
  const at = now()
  const fresh = connect(env, AbortSignal.timeout(WRITE_MS))
  if (result.outcome === 'missed') {
    await recordMiss(fresh, pending.id, result.why, at)
    throw rejected(result.why)
  }
  const { operator_id } = caller
  const { deliveries = null, refusal } = await recordProof(fresh, { reg, operator_id }, pending, at)
  if (!refusal) {
    publishAfterResponse(c, deliveries)
    return toOwnership(reg, { ...pending, verified_at: at.toISOString() })
  }
  const [after] = await ownershipQuery(fresh, reg, operator_id)
  if (after?.verified?.id === pending.id) return toOwnership(reg, after.verified) // by a concurrent request
  throw rejected('a newer challenge has replaced this one; publish the proof of the newer one')
}

function rejected(why: string): ApiError {
  return new ApiError('CONFLICT', why)
}

function toOwnership(reg: string, { domain, method, verified_at }: Challenge) {
  if (verified_at === null) throw new Error('a verified challenge has no time of verification')
  return { reg, ownership_status: 'verified' as const, domain, method, verified_at }
}
