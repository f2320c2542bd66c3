import { z } from '@hono/zod-openapi'
import { endpoint, json, router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import { pageQuery, paginate } from '../wire/page.ts'
import { auditPage } from './schema.ts'
import { listAudit } from './store.ts'

const getAuditLog = endpoint({
  method: 'get',
  path: '/operators/me/audit-log',
  operationId: 'listAuditLog',
  tag: 'Operators',
  access: { by: 'session', limit: 'session' },
  summary: "What was done to the operator's account that matters for its security, newest first",
  description:
    'Sign-ins and sign-outs, keys, platforms and their secrets, deactivations, proofs of domains, identity checks, suspensions and tiers.',
  request: { query: z.object(pageQuery) },
  responses: { 200: json(auditPage, 'A page of the log') },
  errors: [],
})

export const auditRoutes = router().openapi(getAuditLog, async (c) => {
  const page = c.req.valid('query')
  const { data, total } = await listAudit(c.get('db'), requireCaller(c).operator_id, page)
  return c.json({ data, pagination: paginate(c, page, total) }, 200)
})
