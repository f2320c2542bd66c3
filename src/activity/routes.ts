import { body, endpoint, router } from '../api/endpoint.ts'
import { readerOf } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { publicJson } from '../http/caching.ts'
import { secondsLeftOfDay } from '../lib/time.ts'
import { agentNotFound, requireValidNumber } from '../wire/agent-number.ts'
import { regParam } from '../wire/fields.ts'
import { paginate, paginateByCursor } from '../wire/page.ts'
import { rejectedToday } from '../wire/quota.ts'
import type { WithheldField } from '../wire/withheld.ts'
import { validateItem } from './batch.ts'
import { batchInput } from './batch-schema.ts'
import { activityQuery } from './list-query.ts'
import { listActivity } from './list-store.ts'
import { reportHeaders } from './receipt.ts'
import { report } from './report.ts'
import { responses } from './responses.ts'
import { eventInput } from './schema.ts'
import { warningsIn } from './warnings.ts'

const BATCH_MAX_BYTES = 1024 * 1024
const WITHHELD: WithheldField[] = ['event_type', 'metadata']

export const activityRoutes = router()
  .openapi(
    endpoint({
      ...responses.listActivity,
      method: 'get',
      path: '/agents/{reg}/activity',
      access: { by: 'anyone' },
      request: { params: regParam, query: activityQuery },
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      const query = c.req.valid('query')
      requireValidNumber(reg)
      const found = await listActivity(c.get('db'), reg, readerOf(c), query)
      if (!found) throw agentNotFound(reg)
      const { whole, hidden, data, total, next_cursor } = found
      if (!whole || query.cursor === undefined) {
        const pagination = paginate(c, query, total)
        return publicJson(c, { data, pagination, ...(hidden && { withheld: WITHHELD }) })
      }
      const pagination = paginateByCursor(c, query, total, next_cursor)
      return publicJson(c, { data, pagination, next_cursor })
    },
  )
  .openapi(
    endpoint({
      ...responses.reportActivity,
      method: 'post',
      path: '/activity/report',
      access: { by: 'key', permissions: ['activity:report', 'write'], platforms: true },
      request: { headers: reportHeaders, body: body(eventInput) },
      warnings: warningsIn,
    }),
    async (c) => {
      const input = c.req.valid('json')
      requireValidNumber(input.reg)
      const key = c.req.valid('header')['idempotency-key']
      const { data, ...receipt } = await report(c, [{ input }], { key, isBatch: false })
      const [result] = data
      if (!result) throw new Error('a report returned no result')
      if ('event' in result) return c.json({ ...result.event, ...receipt }, 201)
      const { code, message } = result.error
      throw code === 'RATE_LIMITED' ? rejectedToday(message, c.get('now')()) : new ApiError(code, message)
    },
  )
  .openapi(
    endpoint({
      ...responses.reportActivityBatch,
      method: 'post',
      path: '/activity/report/batch',
      access: { by: 'key', permissions: ['activity:report', 'write'], platforms: true },
      request: { headers: reportHeaders, body: body(batchInput) },
      maxBodyBytes: BATCH_MAX_BYTES,
    }),
    async (c) => {
      const items = c.req.valid('json').events.map(validateItem)
      const key = c.req.valid('header')['idempotency-key']
      const { data, ...receipt } = await report(c, items, { key, isBatch: true })
      const isOverQuota = data.some((item) => 'error' in item && item.error.code === 'RATE_LIMITED')
      if (isOverQuota) c.header('Retry-After', String(secondsLeftOfDay(c.get('now')())))
      const accepted = data.filter((item) => 'event' in item).length
      const rejected = data.length - accepted
      return c.json({ data, accepted, rejected, ...receipt }, rejected === 0 ? 201 : 207)
    },
  )
