import { findAgent } from '../agents/store.ts'
import { endpoint, router } from '../api/endpoint.ts'
import { publicJson } from '../http/caching.ts'
import { utcDay } from '../lib/time.ts'
import { signedPart, signToken } from '../transparency/token.ts'
import { agentNotFound, requireValidNumber } from '../wire/agent-number.ts'
import { regParam } from '../wire/fields.ts'
import { responses } from './responses.ts'
import { findStated, findVerified } from './store.ts'
import { requireSigner } from './token-keys.ts'
import { toFullVerification, toVerification } from './verification.ts'

export const verifyRoutes = router()
  .openapi(
    endpoint({
      ...responses.verifyAgent,
      method: 'get',
      path: '/verify/{reg}',
      access: { by: 'anyone' },
      request: { params: regParam },
      cache: 'no-cache',
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      const now = c.get('now')()
      const found = await findVerified(c.get('db'), requireValidNumber(reg), utcDay(now))
      if (!found) throw agentNotFound(reg)
      return publicJson(c, toVerification(found, now))
    },
  )
  .openapi(
    endpoint({
      ...responses.getVerificationToken,
      method: 'get',
      path: '/verify/{reg}/token',
      access: { by: 'anyone' },
      request: { params: regParam },
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      const now = c.get('now')()
      const { BASE_URL: issuer, LOG_KEY } = c.get('env')
      const key = await requireSigner(c.get('env'))
      const { found, head } = await findStated(c.get('db'), requireValidNumber(reg), utcDay(now))
      if (!found) throw agentNotFound(reg)
      const verification = toVerification(found, now)
      const signed = await signToken({ issuer, verification, log: LOG_KEY ? head : null }, key, now)
      return publicJson(c, signed, signedPart(signed.token))
    },
  )
  .openapi(
    endpoint({
      ...responses.verifyAgentInDetail,
      method: 'get',
      path: '/verify/{reg}/full',
      access: { by: 'key', permissions: ['read'], platforms: true },
      request: { params: regParam },
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      const now = c.get('now')()
      const found = await findAgent(c.get('db'), requireValidNumber(reg), utcDay(now))
      if (!found) throw agentNotFound(reg)
      return c.json(toFullVerification(found, now), 200)
    },
  )
