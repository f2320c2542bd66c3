import { requireCaller } from '../credentials/authorize.ts'
import type { Token } from '../credentials/token.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { isAgentNumber } from '../lib/agent-number.ts'
import { publishAfterResponse } from '../webhooks/outbox/publish.ts'
import { agentNotFound, foreignAgent, requireValidNumber } from '../wire/agent-number.ts'
import { findOwnership, type Ownership } from './store.ts'
import { verifyOwnership } from './verify.ts'

/** Reads the challenges of the agent in the path, in parallel with the credential. */
export async function readOwnership(c: Ctx, { id }: Token): Promise<Ownership | null> {
  const reg = c.req.param('reg') ?? ''
  return isAgentNumber(reg) ? findOwnership(c.get('db'), reg, id) : null
}

/**
 * Looks up the proof of the pending challenge of the caller's agent; if it is found, notifies the agent's platform.
 *
 * @param ownership the result of `readOwnership`
 * @throws ApiError NOT_FOUND; FORBIDDEN if the agent belongs to another operator; CONFLICT with what was found instead;
 * RATE_LIMITED; 503 if the resolver is unavailable
 */
export async function checkOwnership(c: Ctx, reg: string, ownership: Ownership | null) {
  const { env, db, now } = c.var
  requireValidNumber(reg)
  if (!ownership) throw agentNotFound(reg)
  if (!ownership.owned) throw foreignAgent(reg)
  const result = await verifyOwnership({ env, db }, reg, requireCaller(c), ownership, now)
  switch (result.outcome) {
    case 'verified':
      publishAfterResponse(c, result.deliveries)
      return result.ownership
    case 'rejected':
      throw new ApiError('CONFLICT', result.why)
    case 'no-resolver':
      throw new ApiError('SERVICE_UNAVAILABLE', 'the DNS resolver is not responding; try again shortly', {
        'Retry-After': '5',
      })
  }
}
