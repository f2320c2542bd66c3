import { router } from '../api/endpoint.ts'
import { besideOf, requireCaller } from '../credentials/authorize.ts'
import type { Token } from '../credentials/token.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { checkMatches, REG_PATTERN } from '../lib/agent-number.ts'
import { randomBase62 } from '../lib/base62.ts'
import { uuidv7 } from '../lib/ids.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { regParam } from '../wire/fields.ts'
import { agentNotFound, foreignAgent, requireKnownNumber } from '../wire/known-number.ts'
import type { answers } from './answers.ts'
import { readDomain } from './domain.ts'
import { DNS_DOMAIN_MAX, fileContent, fileUrl, recordName, recordValue } from './proof.ts'
import { challengeInput } from './schema.ts'
import { findStanding, putChallenge } from './store.ts'
import { challengeEnd, TOKEN_LENGTH } from './terms.ts'
import { verifyOwnership } from './verify.ts'

export const ownershipRoutes = router<typeof answers>()
  .endpoint(
    {
      operationId: 'challengeOwnership',
      method: 'post',
      path: '/agents/{reg}/ownership/challenge',
      access: { by: 'session', limit: 'session' },
      request: { params: regParam, body: challengeInput },
    },
    async (c) => {
      const { reg } = c.req.valid('param')
      const { method, ...input } = c.req.valid('json')
      const { env, db, now } = c.var
      const read = readDomain(input.domain, env.BASE_URL)
      if ('problem' in read) throw new ApiError('VALIDATION_ERROR', `domain: ${read.problem}`)
      const { domain } = read
      if (method === 'dns' && domain.length > DNS_DOMAIN_MAX) {
        throw new ApiError('VALIDATION_ERROR', `domain: at most ${DNS_DOMAIN_MAX} characters, in punycode`)
      }
      requireKnownNumber(reg)
      const at = now()
      const proof = { reg, domain, method, token: randomBase62(TOKEN_LENGTH) }
      const end = challengeEnd(at)
      const { operator_id } = requireCaller(c)
      const whose = await putChallenge(db, {
        ...proof,
        id: uuidv7(at),
        operator_id,
        expires_at: end,
        now: at,
      })
      if (whose === 'unknown') throw agentNotFound(reg)
      if (whose === 'foreign') throw foreignAgent(reg)
      const expires_at = end.toISOString()
      if (method === 'http') {
        return c.json({ method, domain, url: fileUrl(domain), content: fileContent(proof), expires_at }, 201)
      }
      const record = {
        record_name: recordName(domain),
        record_type: 'TXT',
        record_value: recordValue(proof),
      } as const
      return c.json({ method, domain, ...record, expires_at }, 201)
    },
  )
  .endpoint(
    {
      operationId: 'verifyOwnership',
      method: 'post',
      path: '/agents/{reg}/ownership/verify',
      access: { by: 'session', limit: 'session', beside: readStanding },
      request: { params: regParam },
    },
    async (c) => {
      const { reg } = c.req.valid('param')
      const { env, now } = c.var
      requireKnownNumber(reg)
      const standing = besideOf(c, readStanding)
      if (!standing) throw agentNotFound(reg)
      if (!standing.owned) throw foreignAgent(reg)
      const { operator_id } = requireCaller(c)
      const result = await verifyOwnership(env, { reg, operator_id }, standing, now)
      switch (result.outcome) {
        case 'verified':
          publishFirst(c, result.deliveries)
          return c.json(result.ownership, 200)
        case 'refused':
          throw new ApiError('CONFLICT', result.why)
        case 'no-resolver':
          throw new ApiError(
            'SERVICE_UNAVAILABLE',
            'the resolver of names does not answer, try again shortly',
            {
              'Retry-After': '5',
            },
          )
      }
    },
  )

/** Reads where the agent in the path stands, for the operator of the session, while the credential is read. */
async function readStanding(c: Ctx, { id }: Token) {
  const reg = c.req.param('reg') ?? ''
  return REG_PATTERN.test(reg) && checkMatches(reg) ? findStanding(c.get('db'), reg, id) : null
}
