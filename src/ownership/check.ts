import { requireCaller } from '../credentials/authorize.ts'
import type { Token } from '../credentials/token.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { checkMatches, REG_PATTERN } from '../lib/agent-number.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { agentNotFound, foreignAgent, requireValidNumber } from '../wire/agent-number.ts'
import { findStanding, type Standing } from './store.ts'
import { verifyOwnership } from './verify.ts'

/** Reads where the agent in the path stands, for the operator of the session, while the credential is read. */
export async function readStanding(c: Ctx, { id }: Token): Promise<Standing | null> {
  const reg = c.req.param('reg') ?? ''
  return REG_PATTERN.test(reg) && checkMatches(reg) ? findStanding(c.get('db'), reg, id) : null
}

/**
 * Looks for what an agent of the caller was asked to publish, and tells its platform when it is found.
 *
 * @param standing as `readStanding` has read it
 * @throws ApiError NOT_FOUND, FORBIDDEN for another operator's, CONFLICT that says what was found instead, 503 without
 * a resolver
 */
export async function checkOwnership(c: Ctx, reg: string, standing: Standing | null) {
  const { env, now } = c.var
  requireValidNumber(reg)
  if (!standing) throw agentNotFound(reg)
  if (!standing.owned) throw foreignAgent(reg)
  const { operator_id } = requireCaller(c)
  const result = await verifyOwnership(env, { reg, operator_id }, standing, now)
  switch (result.outcome) {
    case 'verified':
      publishFirst(c, result.deliveries)
      return result.ownership
    case 'refused':
      throw new ApiError('CONFLICT', result.why)
    case 'no-resolver':
      throw new ApiError('SERVICE_UNAVAILABLE', 'the DNS resolver is not responding; try again shortly', {
        'Retry-After': '5',
      })
  }
}
