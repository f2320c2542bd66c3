import { endpoint, router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import { paginate } from '../wire/page.ts'
import { responses } from './responses.ts'
import { auditQuery } from './schema.ts'
import { listAudit } from './store.ts'

export const auditRoutes = router().openapi(
  endpoint({
    ...responses.listAuditLog,
    method: 'get',
    path: '/operators/me/audit-log',
    access: { by: 'session', limit: 'session' },
    request: { query: auditQuery },
  }),
  async (c) => {
    const query = c.req.valid('query')
    const { data, total } = await listAudit(c.get('db'), requireCaller(c).operator_id, query)
    return c.json({ data, pagination: paginate(c, query, total) }, 200)
  },
)
