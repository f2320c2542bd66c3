import { requireCaller } from '../http/auth.ts'
import { endpoint, json, router } from '../http/endpoint.ts'
import { operator } from './schema.ts'
import { findOperator } from './store.ts'

const getMe = endpoint({
  method: 'get',
  path: '/operators/me',
  access: { by: 'session', limit: 'session' },
  summary: 'The signed-in operator',
  request: {},
  responses: { 200: json(operator, 'The operator') },
  errors: [],
})

export const operatorRoutes = router().openapi(getMe, async (c) => {
  const found = await findOperator(c.get('db'), requireCaller(c).operator_id)
  if (!found) throw new Error('the operator of a live session is gone')
  return c.json(found, 200)
})
