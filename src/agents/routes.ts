import { body, endpoint, router } from '../api/endpoint.ts'
import { prefetched } from '../credentials/authorize.ts'
import { publicJson } from '../http/caching.ts'
import { idempotencyHeaders, replay, toRepeatable } from '../idempotency/request.ts'
import { utcDay } from '../lib/time.ts'
import { readChangeable } from '../members/prefetch.ts'
import { agentNotFound, requireValidNumber } from '../wire/agent-number.ts'
import { regParam } from '../wire/fields.ts'
import { paginate } from '../wire/page.ts'
import { changeAgent } from './change.ts'
import { toProfile } from './profile.ts'
import { registerAgent } from './register.ts'
import { type AgentCreated, responses } from './responses.ts'
import { agentChanges, agentInput } from './schema.ts'
import { searchQuery } from './search-query.ts'
import { searchAgents } from './search-store.ts'
import { findAgent } from './store.ts'

export const agentRoutes = router()
  .openapi(
    endpoint({
      ...responses.registerAgent,
      method: 'post',
      path: '/agents',
      access: { by: 'session', limit: 'session' },
      request: { headers: idempotencyHeaders, body: body(agentInput) },
    }),
    async (c) => {
      const repeatable = await toRepeatable(c, c.req.valid('header')['idempotency-key'], c.get('now')())
      const { agent, prior } = await registerAgent(c, c.req.valid('json'), repeatable)
      return c.json(prior ? (replay(c, repeatable, prior).answer as AgentCreated) : agent, 201)
    },
  )
  .openapi(
    endpoint({
      ...responses.updateAgent,
      method: 'patch',
      path: '/agents/{reg}',
      access: { by: 'session', limit: 'session', prefetch: readChangeable },
      request: { params: regParam, body: body(agentChanges) },
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      return c.json(await changeAgent(c, reg, c.req.valid('json'), prefetched(c, readChangeable)), 200)
    },
  )
  .openapi(
    endpoint({
      ...responses.searchAgents,
      method: 'get',
      path: '/agents/search',
      access: { by: 'anyone' },
      request: { query: searchQuery },
    }),
    async (c) => {
      const query = c.req.valid('query')
      const { data, total } = await searchAgents(c.get('db'), query)
      return publicJson(c, { data, pagination: paginate(c, query, total) })
    },
  )
  .openapi(
    endpoint({
      ...responses.getAgent,
      method: 'get',
      path: '/agents/{reg}',
      access: { by: 'anyone' },
      request: { params: regParam },
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      const found = await findAgent(c.get('db'), requireValidNumber(reg), utcDay(c.get('now')()))
      if (!found) throw agentNotFound(reg)
      c.header('Link', `<${c.get('env').BASE_URL}/agents/${reg}>; rel="alternate"; type="text/html"`)
      return publicJson(c, toProfile(found))
    },
  )
