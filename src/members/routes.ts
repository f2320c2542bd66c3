import { endpoint, router } from '../api/endpoint.ts'
import { ownPlatform, prefetched } from '../credentials/authorize.ts'
import { slugParam } from '../wire/fields.ts'
import { paginate } from '../wire/page.ts'
import { confirm, removeMember } from './manage.ts'
import { readChangeable } from './prefetch.ts'
import { responses } from './responses.ts'
import { memberParams, memberQuery } from './schema.ts'
import { requireMembers } from './store.ts'

export const memberRoutes = router()
  .openapi(
    endpoint({
      ...responses.listPlatformAgents,
      method: 'get',
      path: '/platforms/{slug}/agents',
      access: { by: 'session', limit: 'session' },
      request: { params: slugParam, query: memberQuery },
    }),
    async (c) => {
      const query = c.req.valid('query')
      const { data, total } = await requireMembers(c.get('db'), ownPlatform(c), query)
      return c.json({ data, pagination: paginate(c, query, total) }, 200)
    },
  )
  .openapi(
    endpoint({
      ...responses.confirmPlatformAgent,
      method: 'post',
      path: '/platforms/{slug}/agents/{reg}/confirm',
      access: { by: 'session', limit: 'session' },
      request: { params: memberParams },
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      return c.json(await confirm(c.get('db'), ownPlatform(c), reg, c.get('now')()), 200)
    },
  )
  .openapi(
    endpoint({
      ...responses.removePlatformAgent,
      method: 'delete',
      path: '/platforms/{slug}/agents/{reg}',
      access: { by: 'session', limit: 'session', prefetch: readChangeable },
      request: { params: memberParams },
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      return c.json(await removeMember(c, ownPlatform(c), reg, prefetched(c, readChangeable)), 200)
    },
  )
