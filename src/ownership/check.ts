import { requireCaller } from '../credentials/authorize.ts'
import type { Token } from '../credentials/token.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { checkMatches, REG_PATTERN } from '../lib/agent-number.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { agentNotFound, foreignAgent, requireValidNumber } from '../wire/agent-number.ts'
import { findOwnership, type Ownership } from './store.ts'
import { verifyOwnership } from './verify.ts'

/** Reads where the agent in the path stands, for the operator of the session, while the credential is read. */
export async function readOwnership(c: Ctx, { id }: Token): Promise<Ownership | null> {
  const reg = c.req.param('reg') ?? ''
  return REG_PATTERN.test(reg) && checkMatches(reg) ? findOwnership(c.get('db'), reg, id) : null
}

/**
 * Looks for what an agent of the caller was asked to publish, and tells its platform when it is found.
 *
 * @param ownership as `readOwnership` has read it
 * @throws ApiError NOT_FOUND, FORBIDDEN for another operator's, CONFLICT that says what was found instead, 503 without
 * a resolver
 */
export async function checkOwnership(c: Ctx, reg: string, ownership: Ownership | null) {
  const { env, now } = c.var
  requireValidNumber(reg)
  if (!ownership) throw agentNotFound(reg)
  if (!ownership.owned) throw foreignAgent(reg)
  const { operator_id } = requireCaller(c)
  const result = await verifyOwnership(env, { reg, operator_id }, ownership, now)
  switch (result.outcome) {
    case 'verified':
      publishFirst(c, result.deliveries)
      return result.ownership
    case 'rejected':
      throw new ApiError('CONFLICT', result.why)
    case 'no-resolver':
      throw new ApiError('SERVICE_UNAVAILABLE', 'the DNS resolver is not responding; try again shortly', {
        'Retry-After': '5',
      })
  }
}
