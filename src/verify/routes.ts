import { type FoundAgent, findAgent } from '../agents/store.ts'
import { router } from '../api/endpoint.ts'
import { publicJson } from '../http/caching.ts'
import type { Ctx } from '../http/context.ts'
import { utcDay } from '../lib/time.ts'
import { regParam } from '../wire/fields.ts'
import { agentNotFound, requireKnownNumber } from '../wire/known-number.ts'
import type { answers } from './answers.ts'
import { toFullVerification, toVerification } from './verification.ts'

export const verifyRoutes = router<typeof answers>()
  .endpoint(
    {
      operationId: 'verifyAgent',
      method: 'get',
      path: '/verify/{reg}',
      access: { by: 'anyone', limit: 'public' },
      request: { params: regParam },
      cache: 'no-cache',
    },
    async (c) => {
      const { reg } = c.req.valid('param')
      const now = c.get('now')()
      return publicJson(c, toVerification(await requireVerified(c, reg, now), now))
    },
  )
  .endpoint(
    {
      operationId: 'verifyAgentFully',
      method: 'get',
      path: '/verify/{reg}/full',
      access: { by: 'key', permissions: ['read'], platforms: true },
      request: { params: regParam },
    },
    async (c) => {
      const { reg } = c.req.valid('param')
      const now = c.get('now')()
      return c.json(toFullVerification(await requireVerified(c, reg, now), now), 200)
    },
  )

async function requireVerified(c: Ctx, reg: string, now: Date): Promise<FoundAgent> {
  const found = await findAgent(c.get('db'), requireKnownNumber(reg), utcDay(now))
  if (!found) throw agentNotFound(reg)
  return found
}
