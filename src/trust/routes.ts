import * as z from 'zod'
import { endpoint, router } from '../api/endpoint.ts'
import { ApiError } from '../errors.ts'
import { publicJson } from '../http/caching.ts'
import { utcDay } from '../lib/time.ts'
import { agentNotFound, requireValidNumber } from '../wire/agent-number.ts'
import { regParam } from '../wire/fields.ts'
import { wholeNumber } from '../wire/page.ts'
import { rowsOf, scoreOf } from './basis.ts'
import { explain } from './explain.ts'
import { hashInputs } from './inputs.ts'
import { responses } from './responses.ts'
import { dateParam, explainParam } from './schema.ts'
import { ALGORITHM_VERSION, MIN_TASKS, scoreAgent, scoreWindow, type TrustScore, toShare } from './score.ts'
import { findBasis, findInputs, listScores } from './store.ts'
import { WINDOW_DAYS, type Window, windowOf } from './window.ts'

const HISTORY_DEFAULT = 30
const HISTORY_MAX = 365

export const trustRoutes = router()
  .openapi(
    endpoint({
      ...responses.listTrustScores,
      method: 'get',
      path: '/agents/{reg}/trust-score/history',
      access: { by: 'anyone' },
      request: {
        params: regParam,
        query: z.object({
          limit: wholeNumber('limit', {
            min: 1,
            max: HISTORY_MAX,
            fallback: HISTORY_DEFAULT,
            description: 'Maximum number of scores',
          }),
        }),
      },
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      const { limit } = c.req.valid('query')
      const data = await listScores(c.get('db'), requireValidNumber(reg), limit)
      if (!data) throw agentNotFound(reg)
      return publicJson(c, { data })
    },
  )
  .openapi(
    endpoint({
      ...responses.getTrustInputs,
      method: 'get',
      path: '/agents/{reg}/trust-score/inputs',
      access: { by: 'anyone' },
      request: { params: regParam, query: z.object({ date: dateParam }) },
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      const today = utcDay(c.get('now')())
      const { date = today } = c.req.valid('query')
      if (date > today)
        throw new ApiError('VALIDATION_ERROR', [['date', `must not be after the current UTC day, ${today}`]])
      const inputs = await findInputs(c.get('db'), requireValidNumber(reg), date)
      if (!inputs) throw agentNotFound(reg)
      const { open_outages } = inputs
      const score = scoreAgent(inputs.rows, inputs.today, open_outages)
      return publicJson(c, {
        reg,
        today: inputs.today,
        algorithm_version: ALGORITHM_VERSION,
        rows: inputs.rows,
        open_outages,
        score: score && toNumbers(score),
        sha256: await hashInputs(inputs.rows, open_outages),
      })
    },
  )
  .openapi(
    endpoint({
      ...responses.getTrustScore,
      method: 'get',
      path: '/agents/{reg}/trust-score',
      access: { by: 'anyone' },
      request: { params: regParam, query: z.object({ explain: explainParam }) },
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      const now = c.get('now')()
      const [db, today, computed_at] = [c.get('db'), utcDay(now), now.toISOString()]
      if (c.req.valid('query').explain) {
        const inputs = await findInputs(db, requireValidNumber(reg), today)
        if (!inputs) throw agentNotFound(reg)
        const window = windowOf(inputs.rows, inputs.today, inputs.open_outages)
        const score = scoreWindow(window)
        if (!score) return publicJson(c, insufficient(reg, window))
        const { provisional, confidence, ...numbers } = score
        return publicJson(c, { reg, ...numbers, computed_at, ...explain(score, window) })
      }
      const basis = await findBasis(db, requireValidNumber(reg), today)
      if (!basis) throw agentNotFound(reg)
      const score = scoreOf(basis)
      if (!score) return publicJson(c, insufficient(reg, windowOf(rowsOf(basis), basis.today)))
      return publicJson(c, { reg, ...score, computed_at })
    },
  )

function insufficient(reg: string, { tasks }: Window) {
  const message = `a score requires ${MIN_TASKS} tasks in ${WINDOW_DAYS} days; ${MIN_TASKS - tasks} more needed`
  return { reg, status: 'insufficient_data' as const, message }
}

function toNumbers({ computation_window_days, algorithm_version, confidence, ...numbers }: TrustScore) {
  return { ...numbers, confidence: toShare(confidence) }
}
