import type * as z from 'zod'
import { requireCaller } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { randomBase62 } from '../lib/base62.ts'
import { uuidv7 } from '../lib/ids.ts'
import { agentNotFound, foreignAgent, requireValidNumber } from '../wire/agent-number.ts'
import { readDomain } from './domain.ts'
import { DNS_DOMAIN_MAX, type Proof } from './proof.ts'
import type { challengeInput } from './schema.ts'
import { putChallenge } from './store.ts'
import { challengeEnd, TOKEN_LENGTH } from './terms.ts'

/**
 * Asks the caller to publish something under a domain of an agent, in place of what was asked before.
 *
 * @returns what is to be published, and until when
 * @throws ApiError VALIDATION_ERROR for what is no domain of its own, NOT_FOUND, FORBIDDEN for another operator's agent
 */
export async function challengeAgent(
  c: Ctx,
  reg: string,
  { method, ...input }: z.infer<typeof challengeInput>,
): Promise<{ proof: Proof; expires_at: string }> {
  const { env, db, now } = c.var
  const read = readDomain(input.domain, env.BASE_URL)
  if ('problem' in read) throw new ApiError('VALIDATION_ERROR', `domain: ${read.problem}`)
  const { domain } = read
  if (method === 'dns' && domain.length > DNS_DOMAIN_MAX) {
    throw new ApiError('VALIDATION_ERROR', `domain: at most ${DNS_DOMAIN_MAX} characters, in punycode`)
  }
  requireValidNumber(reg)
  const at = now()
  const proof = { reg, domain, method, token: randomBase62(TOKEN_LENGTH) }
  const end = challengeEnd(at)
  const { operator_id } = requireCaller(c)
  const whose = await putChallenge(db, { ...proof, id: uuidv7(at), operator_id, expires_at: end, now: at })
  if (whose === 'unknown') throw agentNotFound(reg)
  if (whose === 'foreign') throw foreignAgent(reg)
  return { proof, expires_at: end.toISOString() }
}
