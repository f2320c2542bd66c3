import { agentNotFound, requireKnownNumber } from '../agents/known.ts'
import { ApiError } from '../errors.ts'
import { requireCaller } from '../http/auth.ts'
import { endpoint, json, jsonRequest, router } from '../http/endpoint.ts'
import { uuidv7 } from '../lib/ids.ts'
import { newEvent } from '../webhooks/events.ts'
import { publishFirst } from '../webhooks/publish.ts'
import { activityEvent, eventInput } from './schema.ts'
import { appendEvent, type Stored } from './store.ts'

const postReport = endpoint({
  method: 'post',
  path: '/activity/report',
  access: { by: 'key', permissions: ['activity:report', 'write'] },
  summary: 'Report an activity event of an agent',
  request: { body: jsonRequest(eventInput) },
  responses: { 201: json(activityEvent, 'The event as it stands in the log') },
  errors: ['NOT_FOUND', 'AGENT_DEACTIVATED'],
})

export const activityRoutes = router().openapi(postReport, async (c) => {
  const input = c.req.valid('json')
  const now = c.get('now')()
  const id = uuidv7(now)
  const incident =
    input.event_type === 'incident' ? { id: uuidv7(now), event: newEvent('incident.created', now) } : null
  requireKnownNumber(input.reg)
  const stored = await appendEvent(c.get('db'), requireCaller(c).operator_id, { ...input, id, incident, now })
  if (stored.outcome !== 'stored') throw refusal(stored.outcome, input.reg)
  publishFirst(c, stored.deliveries)
  const { event_type, severity, metadata } = input
  const { agent_id, created_at } = stored
  return c.json(
    { id, agent_id, event_type, severity, metadata, reported_by: 'operator' as const, created_at },
    201,
  )
})

function refusal(outcome: Exclude<Stored['outcome'], 'stored'>, reg: string): ApiError {
  switch (outcome) {
    case 'unknown_agent':
      return agentNotFound(reg)
    case 'foreign_agent':
      return new ApiError('FORBIDDEN', `agent ${reg} belongs to another operator`)
    case 'deactivated':
      return new ApiError('AGENT_DEACTIVATED', `agent ${reg} is deactivated and takes no more events`)
  }
}
