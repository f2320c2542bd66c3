import { z } from '@hono/zod-openapi'
import { successRate, toCreated } from '../agents/profile.ts'
import { agentCreated } from '../agents/schema.ts'
import { endpoint, json, jsonRequest, router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { utcDay } from '../lib/time.ts'
import { pageQuery, paginate, pagination } from '../wire/page.ts'
import { dashboard, operator, operatorChanges } from './schema.ts'
import { findOperator, listAgents, sumUp, updateOperator } from './store.ts'

const getMe = endpoint({
  method: 'get',
  path: '/operators/me',
  operationId: 'getOperator',
  tag: 'Operators',
  access: { by: 'session', limit: 'session' },
  summary: 'The signed-in operator',
  request: {},
  responses: { 200: json(operator, 'The operator') },
  errors: [],
})

const patchMe = endpoint({
  method: 'patch',
  path: '/operators/me',
  operationId: 'updateOperator',
  tag: 'Operators',
  access: { by: 'session', limit: 'session' },
  summary: 'Change the signed-in operator',
  description: 'Fields that are not given stay as they are; `notification_prefs` are merged.',
  request: { body: jsonRequest(operatorChanges) },
  responses: { 200: json(operator, 'The changed operator') },
  errors: ['NO_UPDATES'],
})

const getMyAgents = endpoint({
  method: 'get',
  path: '/operators/me/agents',
  operationId: 'listOwnAgents',
  tag: 'Operators',
  access: { by: 'session-or-key', permissions: ['read'] },
  summary: "The operator's agents, newest first",
  request: { query: z.object(pageQuery) },
  responses: { 200: json(z.object({ data: z.array(agentCreated), pagination }), 'A page of agents') },
  errors: [],
})

const getDashboard = endpoint({
  method: 'get',
  path: '/operators/me/dashboard',
  operationId: 'getDashboard',
  tag: 'Operators',
  access: { by: 'session-or-key', permissions: ['read'] },
  summary: 'Sums over all agents of the operator',
  request: {},
  responses: { 200: json(dashboard, 'The sums') },
  errors: [],
})

export const operatorRoutes = router()
  .openapi(getMe, async (c) => {
    const found = await findOperator(c.get('db'), requireCaller(c).operator_id)
    return c.json(present(found), 200)
  })
  .openapi(patchMe, async (c) => {
    const changes = c.req.valid('json')
    if (!hasChange(changes)) throw new ApiError('NO_UPDATES', 'body: no field to change is given')
    const changed = await updateOperator(c.get('db'), requireCaller(c).operator_id, changes, c.get('now')())
    return c.json(present(changed), 200)
  })
  .openapi(getMyAgents, async (c) => {
    const page = c.req.valid('query')
    const { operator_id } = requireCaller(c)
    const { rows, total } = await listAgents(c.get('db'), operator_id, page, utcDay(c.get('now')()))
    return c.json({ data: rows.map(toCreated), pagination: paginate(c, page, total) }, 200)
  })
  .openapi(getDashboard, async (c) => {
    const sums = await sumUp(c.get('db'), requireCaller(c).operator_id, c.get('now')())
    const total_tasks = sums.tasks_completed + sums.tasks_failed
    return c.json({ ...sums, total_tasks, success_rate: successRate(sums) }, 200)
  })

function hasChange(changes: object): boolean {
  return Object.values(changes).some((value) => value !== undefined)
}

function present<T>(operator: T | null): T {
  if (operator === null) throw new Error('the operator of a live credential is gone')
  return operator
}
