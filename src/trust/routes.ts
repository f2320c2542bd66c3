import { z } from '@hono/zod-openapi'
import { endpoint, json, router } from '../api/endpoint.ts'
import { ApiError } from '../errors.ts'
import { publicJson } from '../http/caching.ts'
import { utcDay } from '../lib/time.ts'
import { regParam } from '../wire/fields.ts'
import { agentNotFound, requireKnownNumber } from '../wire/known-number.ts'
import { wholeNumber } from '../wire/page.ts'
import { daysOf, scoreOf } from './evidence.ts'
import { explain, toShare } from './explain.ts'
import { canonicalRows, hashInputs } from './inputs.ts'
import { dateParam, explainParam } from './query.ts'
import type { DailyRollup } from './rollup.ts'
import { explainedTrustScore, insufficientData, pastScore, trustInputs, trustScore } from './schema.ts'
import { ALGORITHM_VERSION, MIN_TASKS, scoreAgent, type TrustScore, tasksMissing } from './score.ts'
import { findEvidence, findInputs, listScores } from './store.ts'
import { WINDOW_DAYS } from './window.ts'

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
  request: { params: regParam, query: z.object({ explain: explainParam }) },
  responses: {
    200: json(
      z.union([trustScore, explainedTrustScore, insufficientData]),
      'The score, the explained score, or what it lacks',
    ),
  },
  errors: ['NOT_FOUND'],
})

const getInputs = endpoint({
  method: 'get',
  path: '/agents/{reg}/trust-score/inputs',
  operationId: 'getTrustInputs',
  tag: 'Trust scores',
  access: { by: 'anyone', limit: 'public' },
  summary: 'What the trust score of an agent is computed from, so that anybody can compute it again',
  description:
    'With `date`, the window as it was at the end of that day; a finished day changes no more. The command `npm run trust:verify` does the computation.',
  request: { params: regParam, query: z.object({ date: dateParam }) },
  responses: { 200: json(trustInputs, 'The rows of the window, their hash and the score') },
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
    return publicJson(c, { data })
  })
  .openapi(getInputs, async (c) => {
    const { reg } = c.req.valid('param')
    const today = utcDay(c.get('now')())
    const { date = today } = c.req.valid('query')
    if (date > today) throw new ApiError('VALIDATION_ERROR', `date: must not be after today, ${today}`)
    const inputs = await findInputs(c.get('db'), requireKnownNumber(reg), date)
    if (!inputs) throw agentNotFound(reg)
    const score = scoreAgent(inputs.days, inputs.today)
    const [rows, sha256] = [canonicalRows(inputs.days), await hashInputs(inputs.days)]
    const answer = { reg, today: inputs.today, algorithm_version: ALGORITHM_VERSION, rows, sha256 }
    return publicJson(c, { ...answer, score: score && toNumbers(score) })
  })
  .openapi(getTrustScore, async (c) => {
    const { reg } = c.req.valid('param')
    const now = c.get('now')()
    const [db, today, computed_at] = [c.get('db'), utcDay(now), now.toISOString()]
    if (c.req.valid('query').explain) {
      const inputs = await findInputs(db, requireKnownNumber(reg), today)
      if (!inputs) throw agentNotFound(reg)
      const score = scoreAgent(inputs.days, inputs.today)
      if (!score) return publicJson(c, insufficient(reg, inputs.days, inputs.today))
      const { provisional, confidence, ...numbers } = score
      const explanation = explain(score, inputs.days, inputs.today, inputs.platform_events)
      return publicJson(c, { reg, ...numbers, computed_at, ...explanation })
    }
    const evidence = await findEvidence(db, requireKnownNumber(reg), today)
    if (!evidence) throw agentNotFound(reg)
    const score = scoreOf(evidence)
    if (!score) return publicJson(c, insufficient(reg, daysOf(evidence), evidence.today))
    return publicJson(c, { reg, ...score, computed_at })
  })

function insufficient(reg: string, days: readonly DailyRollup[], today: string) {
  const message = `a score needs ${MIN_TASKS} tasks in ${WINDOW_DAYS} days: ${tasksMissing(days, today)} more`
  return { reg, status: 'insufficient_data' as const, message }
}

function toNumbers({ computation_window_days, algorithm_version, confidence, ...numbers }: TrustScore) {
  return { ...numbers, confidence: toShare(confidence) }
}
