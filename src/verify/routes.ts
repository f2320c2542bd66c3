import { type FoundAgent, findAgent } from '../agents/store.ts'
import { endpoint, json, router } from '../api/endpoint.ts'
import { publicJson } from '../http/caching.ts'
import type { Ctx } from '../http/context.ts'
import { utcDay } from '../lib/time.ts'
import { regParam } from '../wire/fields.ts'
import { agentNotFound, requireKnownNumber } from '../wire/known-number.ts'
import { toFullVerification, toVerification } from './answer.ts'
import { fullVerification, verification } from './schema.ts'

const getVerification = endpoint({
  method: 'get',
  path: '/verify/{reg}',
  operationId: 'verifyAgent',
  tag: 'Verification',
  access: { by: 'anyone', limit: 'public' },
  summary: 'Quick verification: is this agent registered and active, and how far can it be trusted',
  cache: 'no-cache',
  request: { params: regParam },
  responses: { 200: json(verification, 'The agent is registered') },
  errors: ['NOT_FOUND'],
})

const getFullVerification = endpoint({
  method: 'get',
  path: '/verify/{reg}/full',
  operationId: 'verifyAgentFully',
  tag: 'Verification',
  access: { by: 'key', permissions: ['read'], platforms: true },
  summary: 'Full verification: the quick one with the numbers behind it',
  request: { params: regParam },
  responses: { 200: json(fullVerification, 'The agent is registered') },
  errors: ['NOT_FOUND'],
})

export const verifyRoutes = router()
  .openapi(getVerification, async (c) => {
    const { reg } = c.req.valid('param')
    const now = c.get('now')()
    return publicJson(c, toVerification(await requireVerified(c, reg, now), now))
  })
  .openapi(getFullVerification, async (c) => {
    const { reg } = c.req.valid('param')
    const now = c.get('now')()
    return c.json(toFullVerification(await requireVerified(c, reg, now), now), 200)
  })

async function requireVerified(c: Ctx, reg: string, now: Date): Promise<FoundAgent> {
  const found = await findAgent(c.get('db'), requireKnownNumber(reg), utcDay(now))
  if (!found) throw agentNotFound(reg)
  return found
}
