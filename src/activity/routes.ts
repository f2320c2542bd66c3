import { endpoint, json, jsonRequest, router } from '../api/endpoint.ts'
import { hasPermission, requireCaller } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { publicJson } from '../http/caching.ts'
import { idempotencyHeaders, replay, toRepeatable } from '../idempotency/request.ts'
import { incidentOf } from '../incidents/opened.ts'
import { uuidv7 } from '../lib/ids.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { regParam } from '../wire/fields.ts'
import { agentNotFound, requireKnownNumber } from '../wire/known-number.ts'
import { paginate, paginateByCursor } from '../wire/page.ts'
import { activityQuery } from './list-query.ts'
import { listActivity } from './list-store.ts'
import { refusalOf } from './refusal.ts'
import { reporterOf } from './reporter.ts'
import { type ActivityEvent, activityEvent, activityPage, eventInput } from './schema.ts'
import { appendEvent } from './store.ts'

const postReport = endpoint({
  method: 'post',
  path: '/activity/report',
  operationId: 'reportActivity',
  tag: 'Activity',
  access: { by: 'key', permissions: ['activity:report', 'write'], platforms: true },
  summary: 'Report an activity event of an agent',
  description:
    'What is stored can never be changed or removed. `task_completed` and `task_failed` move the trust score, `incident` opens an incident.',
  request: { headers: idempotencyHeaders, body: jsonRequest(eventInput) },
  responses: { 201: json(activityEvent, 'The event as it stands in the log') },
  errors: ['NOT_FOUND', 'AGENT_DEACTIVATED', 'IDEMPOTENCY_MISMATCH'],
})

const getActivity = endpoint({
  method: 'get',
  path: '/agents/{reg}/activity',
  operationId: 'listActivity',
  tag: 'Activity',
  access: { by: 'anyone-or-owner' },
  summary: 'Activity of an agent, newest first: its 50 newest events, or all of them for its operator',
  description:
    'Without a credential, filters and pages work inside the 50 newest events. The operator of the agent sees the whole log, with a session or a key that may `read`, and may page through it by `cursor`.',
  request: { params: regParam, query: activityQuery },
  responses: { 200: json(activityPage, 'A page of events') },
  errors: ['NOT_FOUND'],
})

export const activityRoutes = router()
  .openapi(getActivity, async (c) => {
    const { reg } = c.req.valid('param')
    const query = c.req.valid('query')
    requireKnownNumber(reg)
    const caller = c.get('caller')
    const reader = caller && hasPermission(caller, ['read']) ? caller : null
    const found = await listActivity(c.get('db'), reg, reader, query)
    if (!found) throw agentNotFound(reg)
    const { whole, data, total, next_cursor } = found
    if (!whole || query.cursor === undefined) {
      return publicJson(c, { data, pagination: paginate(c, query, total) })
    }
    const pagination = paginateByCursor(c, query, total, next_cursor)
    return publicJson(c, { data, pagination, next_cursor })
  })
  .openapi(postReport, async (c) => {
    const input = c.req.valid('json')
    const caller = requireCaller(c)
    const reported_by = reporterOf(caller)
    const now = c.get('now')()
    const id = uuidv7(now)
    const incident = incidentOf(input, now)
    requireKnownNumber(input.reg)
    const repeatable = await toRepeatable(c, c.req.valid('header')['idempotency-key'], now)
    const event = { ...input, id, reported_by, incident, now, repeatable }
    const stored = await appendEvent(c.get('db'), caller, event)
    if (stored.outcome === 'repeated') {
      return c.json(replay(c, repeatable, stored.prior).answer as ActivityEvent, 201)
    }
    if (stored.outcome !== 'stored') {
      const { code, message } = refusalOf(stored.outcome, input.reg)
      throw new ApiError(code, message)
    }
    publishFirst(c, stored.deliveries)
    const { event_type, severity, metadata } = input
    const { agent_id, created_at } = stored
    return c.json({ id, agent_id, event_type, severity, metadata, reported_by, created_at }, 201)
  })
