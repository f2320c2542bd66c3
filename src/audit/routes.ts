import { router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import { pagesOnly, paginate } from '../wire/page.ts'
import type { answers } from './answers.ts'
import { listAudit } from './store.ts'

export const auditRoutes = router<typeof answers>().endpoint(
  {
    operationId: 'listAuditLog',
    method: 'get',
    path: '/operators/me/audit-log',
    access: { by: 'session', limit: 'session' },
    request: { query: pagesOnly },
  },
  async (c) => {
    const page = c.req.valid('query')
    const { data, total } = await listAudit(c.get('db'), requireCaller(c).operator_id, page)
    return c.json({ data, pagination: paginate(c, page, total) }, 200)
  },
)
