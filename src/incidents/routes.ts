import { body, endpoint, router } from '../api/endpoint.ts'
import { publicJson } from '../http/caching.ts'
import { agentNotFound, requireValidNumber } from '../wire/agent-number.ts'
import { idParam, regParam } from '../wire/fields.ts'
import { paginate } from '../wire/page.ts'
import { resolve } from './resolve.ts'
import { responses } from './responses.ts'
import { incidentQuery, resolutionInput } from './schema.ts'
import { listIncidents } from './store.ts'

const INCIDENT_TEXTS = ['title', 'description', 'resolution'] as const

export const incidentRoutes = router()
  .openapi(
    endpoint({
      ...responses.listIncidents,
      method: 'get',
      path: '/agents/{reg}/incidents',
      access: { by: 'anyone' },
      request: { params: regParam, query: incidentQuery },
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      const query = c.req.valid('query')
      const found = await listIncidents(c.get('db'), requireValidNumber(reg), query)
      if (!found) throw agentNotFound(reg)
      const { data, total, hidden } = found
      const pagination = paginate(c, query, total)
      const withheld = hidden && { withheld: [...INCIDENT_TEXTS] }
      return publicJson(c, { data, pagination, ...withheld })
    },
  )
  .openapi(
    endpoint({
      ...responses.resolveIncident,
      method: 'post',
      path: '/incidents/{id}/resolve',
      access: { by: 'session-or-key', permissions: ['write'] },
      request: { params: idParam('id', 'the incident'), body: body(resolutionInput) },
    }),
    async (c) => {
      const { id } = c.req.valid('param')
      return c.json(await resolve(c, id, c.req.valid('json').resolution), 200)
    },
  )
