import { router } from '../api/endpoint.ts'
import { hasPermission, requireCaller } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { publicJson } from '../http/caching.ts'
import { idempotencyHeaders, replay, toRepeatable } from '../idempotency/request.ts'
import { incidentOf } from '../incidents/opened.ts'
import { uuidv7 } from '../lib/ids.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { agentNotFound, requireValidNumber } from '../wire/agent-number.ts'
import { regParam } from '../wire/fields.ts'
import { paginate, paginateByCursor } from '../wire/page.ts'
import { rejectedToday } from '../wire/quota.ts'
import { appendEvent } from './append-store.ts'
import { reporterOf } from './entries.ts'
import { activityQuery } from './list-query.ts'
import { listActivity } from './list-store.ts'
import { rejectionOf } from './rejection.ts'
import type { ActivityEvent, responses } from './responses.ts'
import { eventInput } from './schema.ts'
import { warningsIn } from './warnings.ts'

export const activityRoutes = router<typeof responses>()
  .endpoint(
    {
      operationId: 'listActivity',
      method: 'get',
      path: '/agents/{reg}/activity',
      access: { by: 'anyone-or-owner' },
      request: { params: regParam, query: activityQuery },
    },
    async (c) => {
      const { reg } = c.req.valid('param')
      const query = c.req.valid('query')
      requireValidNumber(reg)
      const caller = c.get('caller')
      const reader = caller && hasPermission(caller, ['read']) ? caller : null
      const found = await listActivity(c.get('db'), reg, reader, query)
      if (!found) throw agentNotFound(reg)
      const { whole, hidden, data, total, next_cursor } = found
      if (!whole || query.cursor === undefined) {
        const pagination = paginate(c, query, total)
        return publicJson(c, { data, pagination, ...(hidden && { operator_status: 'suspended' as const }) })
      }
      const pagination = paginateByCursor(c, query, total, next_cursor)
      return publicJson(c, { data, pagination, next_cursor })
    },
  )
  .endpoint(
    {
      operationId: 'reportActivity',
      method: 'post',
      path: '/activity/report',
      access: { by: 'key', permissions: ['activity:report', 'write'], platforms: true },
      request: { headers: idempotencyHeaders, body: eventInput },
    },
    async (c) => {
      const input = c.req.valid('json')
      const caller = requireCaller(c)
      const reported_by = reporterOf(caller)
      const now = c.get('now')()
      const id = uuidv7(now)
      const incident = incidentOf(input, now)
      requireValidNumber(input.reg)
      const warnings = warningsIn(await c.req.json())
      const repeatable = await toRepeatable(c, c.req.valid('header')['idempotency-key'], now)
      const stored = await appendEvent(c.get('db'), caller, { id, input, incident }, repeatable, now)
      if (stored.outcome === 'repeated') {
        return c.json({ ...(replay(c, repeatable, stored.prior).answer as ActivityEvent), ...warnings }, 201)
      }
      if (stored.outcome !== 'stored') {
        const { code, message } = rejectionOf(stored)
        throw code === 'RATE_LIMITED' ? rejectedToday(message, now) : new ApiError(code, message)
      }
      publishFirst(c, stored.deliveries)
      const { event_type, severity, metadata } = input
      const { agent_id, source, created_at } = stored
      const event = { id, agent_id, event_type, severity, metadata, reported_by, source, created_at }
      return c.json({ ...event, ...warnings }, 201)
    },
  )
