import type * as z from 'zod'
import { requireCaller } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { randomBase62 } from '../lib/base62.ts'
import { requireValidNumber } from '../wire/agent-number.ts'
import { readDomain } from './domain.ts'
import { DNS_DOMAIN_MAX, type Proof } from './proof.ts'
import type { challengeInput } from './schema.ts'
import { putChallenge } from './store.ts'
import { challengeEnd, TOKEN_LENGTH } from './terms.ts'

/**
 * Creates a challenge for a domain of the caller's agent, which replaces the agent's pending one.
 *
 * @returns the proof to publish, and when the challenge expires
 * @throws ApiError VALIDATION_ERROR if the domain cannot be verified; NOT_FOUND; FORBIDDEN if the agent belongs to another
 * operator; RATE_LIMITED at the daily quota
 */
export async function challengeAgent(
  c: Ctx,
  reg: string,
  { method, ...input }: z.infer<typeof challengeInput>,
): Promise<{ proof: Proof; expires_at: string }> {
  const { env, db, now } = c.var
  const read = readDomain(input.domain, env.BASE_URL)
  if ('problem' in read) throw new ApiError('VALIDATION_ERROR', [['domain', read.problem]])
  const { domain } = read
  if (method === 'dns' && domain.length > DNS_DOMAIN_MAX) {
    throw new ApiError('VALIDATION_ERROR', [['domain', `at most ${DNS_DOMAIN_MAX} characters, in punycode`]])
  }
  requireValidNumber(reg)
  const at = now()
  const proof = { reg, domain, method, token: randomBase62(TOKEN_LENGTH) }
  const end = challengeEnd(at)
  await putChallenge(db, requireCaller(c), proof, end, at)
  return { proof, expires_at: end.toISOString() }
}
