import { successRate, toCreated } from '../agents/profile.ts'
import { body, endpoint, router } from '../api/endpoint.ts'
import { prefetched, requireCaller } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { publicJson } from '../http/caching.ts'
import { utcDay } from '../lib/time.ts'
import { idParam } from '../wire/fields.ts'
import { pagesOnly, paginate } from '../wire/page.ts'
import { changeOperator, present, readOperator } from './change.ts'
import { findPublicOperator } from './public-store.ts'
import { responses } from './responses.ts'
import { operatorChanges } from './schema.ts'
import { listAgents, resumeMail, sumUp } from './store.ts'

export const operatorRoutes = router()
  .openapi(
    endpoint({
      ...responses.getOperator,
      method: 'get',
      path: '/operators/me',
      access: { by: 'session', limit: 'session', prefetch: readOperator },
    }),
    async (c) => c.json(present(prefetched(c, readOperator)), 200),
  )
  .openapi(
    endpoint({
      ...responses.updateOperator,
      method: 'patch',
      path: '/operators/me',
      access: { by: 'session', limit: 'session', prefetch: readOperator },
      request: { body: body(operatorChanges) },
    }),
    async (c) => c.json(await changeOperator(c, c.req.valid('json'), prefetched(c, readOperator)), 200),
  )
  .openapi(
    endpoint({
      ...responses.resumeMail,
      method: 'post',
      path: '/operators/me/mail/resume',
      access: { by: 'session', limit: 'session' },
    }),
    async (c) => c.json(present(await resumeMail(c.get('db'), requireCaller(c).operator_id)), 200),
  )
  .openapi(
    endpoint({
      ...responses.listOwnAgents,
      method: 'get',
      path: '/operators/me/agents',
      access: { by: 'session-or-key', permissions: ['read'] },
      request: { query: pagesOnly },
    }),
    async (c) => {
      const page = c.req.valid('query')
      const { operator_id } = requireCaller(c)
      const { rows, total } = await listAgents(c.get('db'), operator_id, page, utcDay(c.get('now')()))
      return c.json({ data: rows.map(toCreated), pagination: paginate(c, page, total) }, 200)
    },
  )
  .openapi(
    endpoint({
      ...responses.getPublicOperator,
      method: 'get',
      path: '/operators/{id}',
      access: { by: 'anyone' },
      request: { params: idParam('id', 'the operator') },
    }),
    async (c) => {
      const { id } = c.req.valid('param')
      const found = await findPublicOperator(c.get('db'), id)
      if (!found) throw new ApiError('NOT_FOUND', `there is no operator ${id}`)
      return publicJson(c, found)
    },
  )
  .openapi(
    endpoint({
      ...responses.getDashboard,
      method: 'get',
      path: '/operators/me/dashboard',
      access: { by: 'session-or-key', permissions: ['read'] },
    }),
    async (c) => {
      const sums = await sumUp(c.get('db'), requireCaller(c).operator_id, c.get('now')())
      const total_tasks = sums.tasks_completed + sums.tasks_failed
      return c.json({ ...sums, total_tasks, success_rate: successRate(sums) }, 200)
    },
  )
