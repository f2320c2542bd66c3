import { z } from '@hono/zod-openapi'
import { agentNotFound, requireKnownNumber } from '../agents/known.ts'
import { endpoint, json, router } from '../http/endpoint.ts'
import { regParam } from '../http/fields.ts'
import { wholeNumber } from '../http/page.ts'
import { utcDay } from '../lib/wire.ts'
import { insufficientData, pastScore, trustScore } from './schema.ts'
import { MIN_TASKS, scoreAgent, tasksMissing } from './score.ts'
import { findInputs, listScores } from './store.ts'

const HISTORY_DEFAULT = 30
const HISTORY_MAX = 365

const getTrustScore = endpoint({
  method: 'get',
  path: '/agents/{reg}/trust-score',
  operationId: 'getTrustScore',
  tag: 'Trust scores',
  access: { by: 'anyone', limit: 'public' },
  summary: 'The trust score of an agent, computed at the moment of the question',
  description:
    'An agent with fewer than 10 tasks in the window has no score yet: the answer then has `status: insufficient_data`.',
  request: { params: regParam },
  responses: { 200: json(z.union([trustScore, insufficientData]), 'The score, or what it lacks') },
  errors: ['NOT_FOUND'],
})

const getHistory = endpoint({
  method: 'get',
  path: '/agents/{reg}/trust-score/history',
  operationId: 'listTrustScores',
  tag: 'Trust scores',
  access: { by: 'anyone', limit: 'public' },
  summary: 'Past trust scores of an agent, newest first: at most one for each UTC day',
  request: {
    params: regParam,
    query: z.object({
      limit: wholeNumber('limit', {
        min: 1,
        max: HISTORY_MAX,
        fallback: HISTORY_DEFAULT,
        description: 'How many scores at most',
      }),
    }),
  },
  responses: { 200: json(z.object({ data: z.array(pastScore) }), 'The scores') },
  errors: ['NOT_FOUND'],
})

export const trustRoutes = router()
  .openapi(getHistory, async (c) => {
    const { reg } = c.req.valid('param')
    const { limit } = c.req.valid('query')
    const data = await listScores(c.get('db'), requireKnownNumber(reg), limit)
    if (!data) throw agentNotFound(reg)
    return c.json({ data }, 200)
  })
  .openapi(getTrustScore, async (c) => {
    const { reg } = c.req.valid('param')
    const now = c.get('now')()
    const inputs = await findInputs(c.get('db'), requireKnownNumber(reg), utcDay(now))
    if (!inputs) throw agentNotFound(reg)
    const score = scoreAgent(inputs.days, inputs.today)
    if (!score) {
      const missing = tasksMissing(inputs.days, inputs.today)
      const message = `a score needs ${MIN_TASKS} tasks in 90 days: ${missing} more`
      return c.json({ reg, status: 'insufficient_data' as const, message }, 200)
    }
    const { provisional, confidence, ...answer } = score
    return c.json({ reg, ...answer, computed_at: now.toISOString() }, 200)
  })
