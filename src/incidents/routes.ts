import { router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { publicJson } from '../http/caching.ts'
import { newEvent } from '../webhooks/outbox/events.ts'
import { publishFirst } from '../webhooks/outbox/publish.ts'
import { idParam, regParam } from '../wire/fields.ts'
import { agentNotFound, foreignAgent, requireKnownNumber } from '../wire/known-number.ts'
import { paginate } from '../wire/page.ts'
import type { answers } from './answers.ts'
import { incidentQuery, resolutionInput } from './schema.ts'
import { listIncidents, resolveIncident } from './store.ts'

export const incidentRoutes = router<typeof answers>()
  .endpoint(
    {
      operationId: 'listIncidents',
      method: 'get',
      path: '/agents/{reg}/incidents',
      access: { by: 'anyone', limit: 'public' },
      request: { params: regParam, query: incidentQuery },
    },
    async (c) => {
      const { reg } = c.req.valid('param')
      const query = c.req.valid('query')
      const found = await listIncidents(c.get('db'), requireKnownNumber(reg), query)
      if (!found) throw agentNotFound(reg)
      const { data, total, hidden } = found
      const pagination = paginate(c, query, total)
      return publicJson(c, { data, pagination, ...(hidden && { operator_status: 'suspended' as const }) })
    },
  )
  .endpoint(
    {
      operationId: 'resolveIncident',
      method: 'post',
      path: '/incidents/{id}/resolve',
      access: { by: 'session-or-key', permissions: ['write'] },
      request: { params: idParam('id', 'the incident'), body: resolutionInput },
    },
    async (c) => {
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
    },
  )
