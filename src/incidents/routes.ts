import { endpoint, json, jsonRequest, router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { publicJson } from '../http/caching.ts'
import { newEvent } from '../webhooks/outbox/events.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { idParam, regParam } from '../wire/fields.ts'
import { agentNotFound, foreignAgent, requireKnownNumber } from '../wire/known-number.ts'
import { paginate } from '../wire/page.ts'
import { incident, incidentPage, incidentQuery, resolutionInput } from './schema.ts'
import { listIncidents, resolveIncident } from './store.ts'

const getIncidents = endpoint({
  method: 'get',
  path: '/agents/{reg}/incidents',
  operationId: 'listIncidents',
  tag: 'Incidents',
  access: { by: 'anyone', limit: 'public' },
  summary: 'Incidents of an agent, newest first',
  description: 'An event of the type `incident` opens one; its operator resolves it.',
  request: { params: regParam, query: incidentQuery },
  responses: { 200: json(incidentPage, 'A page of incidents') },
  errors: ['NOT_FOUND'],
})

const postResolve = endpoint({
  method: 'post',
  path: '/incidents/{id}/resolve',
  operationId: 'resolveIncident',
  tag: 'Incidents',
  access: { by: 'session-or-key', permissions: ['write'] },
  summary: 'Resolve an incident',
  description:
    'An incident is resolved once: a second call gets the same answer, with the resolution of the first. What happened stays in the log and in the trust score.',
  request: { params: idParam('id', 'the incident'), body: jsonRequest(resolutionInput) },
  responses: { 200: json(incident, 'The resolved incident') },
  errors: ['NOT_FOUND'],
})

export const incidentRoutes = router()
  .openapi(getIncidents, async (c) => {
    const { reg } = c.req.valid('param')
    const query = c.req.valid('query')
    const found = await listIncidents(c.get('db'), requireKnownNumber(reg), query)
    if (!found) throw agentNotFound(reg)
    return publicJson(c, { data: found.data, pagination: paginate(c, query, found.total) })
  })
  .openapi(postResolve, async (c) => {
    const { id } = c.req.valid('param')
    const { resolution } = c.req.valid('json')
    const { operator_id } = requireCaller(c)
    const now = c.get('now')()
    const event = newEvent('incident.resolved', now)
    const result = await resolveIncident(c.get('db'), { id, operator_id, resolution, event, now })
    switch (result.outcome) {
      case 'unknown':
        throw new ApiError('NOT_FOUND', `there is no incident ${id}`)
      case 'foreign':
        throw foreignAgent(result.reg)
      case 'resolved':
        publishFirst(c, result.deliveries)
        return c.json(result.incident, 200)
    }
  })
