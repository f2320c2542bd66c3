import { endpoint, router } from '../api/endpoint.ts'
import { requireSession } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import { pagesOnly, paginate } from '../wire/page.ts'
import { responses } from './responses.ts'
import { endSessionsQuery, sessionParam } from './schema.ts'
import { endSession, endSessions, listSessions } from './store.ts'

export const sessionRoutes = router()
  .openapi(
    endpoint({
      ...responses.listSessions,
      method: 'get',
      path: '/auth/sessions',
      access: { by: 'session', limit: 'session' },
      request: { query: pagesOnly },
    }),
    async (c) => {
      const page = c.req.valid('query')
      const { operator_id, session_id } = requireSession(c)
      const live = await listSessions(c.get('db'), operator_id, page, c.get('now')())
      const data = live.data.map((one) => ({ ...one, current: one.id === session_id }))
      return c.json({ data, pagination: paginate(c, page, live.total) }, 200)
    },
  )
  .openapi(
    endpoint({
      ...responses.endSession,
      method: 'delete',
      path: '/auth/session',
      access: { by: 'session', limit: 'session' },
    }),
    async (c) => {
      const { operator_id, session_id } = requireSession(c)
      await endSession(c.get('db'), operator_id, session_id, c.get('now')())
      return c.body(null, 204)
    },
  )
  .openapi(
    endpoint({
      ...responses.endAllSessions,
      method: 'delete',
      path: '/auth/sessions',
      access: { by: 'session', limit: 'session' },
      request: { query: endSessionsQuery },
    }),
    async (c) => {
      const { operator_id, session_id } = requireSession(c)
      const kept = c.req.valid('query').keep_current ? session_id : null
      await endSessions(c.get('db'), operator_id, kept, c.get('now')())
      return c.body(null, 204)
    },
  )
  .openapi(
    endpoint({
      ...responses.endOneSession,
      method: 'delete',
      path: '/auth/sessions/{id}',
      access: { by: 'session', limit: 'session' },
      request: { params: sessionParam },
    }),
    async (c) => {
      const { id } = c.req.valid('param')
      const known = await endSession(c.get('db'), requireSession(c).operator_id, id, c.get('now')())
      if (!known) throw new ApiError('NOT_FOUND', `you have no session ${id}`)
      return c.body(null, 204)
    },
  )
