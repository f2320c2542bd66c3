import { z } from '@hono/zod-openapi'
import { endpoint, json, router } from '../api/endpoint.ts'
import { requireCaller } from '../credentials/authorize.ts'
import { ApiError } from '../errors.ts'
import type { Ctx } from '../http/context.ts'
import { session, sessionParam } from './schema.ts'
import { endSession, listSessions } from './store.ts'

const getSessions = endpoint({
  method: 'get',
  path: '/auth/sessions',
  operationId: 'listSessions',
  tag: 'Sign-in',
  access: { by: 'session', limit: 'session' },
  summary: "The operator's live sessions, newest first",
  request: {},
  responses: { 200: json(z.object({ data: z.array(session) }), 'The sessions') },
  errors: [],
})

const deleteSession = endpoint({
  method: 'delete',
  path: '/auth/session',
  operationId: 'endSession',
  tag: 'Sign-in',
  access: { by: 'session', limit: 'session' },
  summary: 'Sign out: ends this session',
  request: {},
  responses: { 204: { description: 'Signed out' } },
  errors: [],
})

const deleteOneSession = endpoint({
  method: 'delete',
  path: '/auth/sessions/{id}',
  operationId: 'endOneSession',
  tag: 'Sign-in',
  access: { by: 'session', limit: 'session' },
  summary: 'End a session of the operator, this one or another',
  description:
    'No call that begins after this answer is let in with its token. For a session that is over already the answer is the same.',
  request: { params: sessionParam },
  responses: { 204: { description: 'The session has ended' } },
  errors: ['NOT_FOUND'],
})

export const sessionRoutes = router()
  .openapi(getSessions, async (c) => {
    const { operator_id, session_id } = requireSession(c)
    const live = await listSessions(c.get('db'), operator_id, c.get('now')())
    return c.json({ data: live.map((one) => ({ ...one, current: one.id === session_id })) }, 200)
  })
  .openapi(deleteSession, async (c) => {
    const { operator_id, session_id } = requireSession(c)
    await endSession(c.get('db'), operator_id, session_id, c.get('now')())
    return c.body(null, 204)
  })
  .openapi(deleteOneSession, async (c) => {
    const { id } = c.req.valid('param')
    const known = await endSession(c.get('db'), requireSession(c).operator_id, id, c.get('now')())
    if (!known) throw new ApiError('NOT_FOUND', `you have no session ${id}`)
    return c.body(null, 204)
  })

function requireSession(c: Ctx) {
  const caller = requireCaller(c)
  if (caller.kind !== 'session') throw new Error('a session route was called with a key')
  return caller
}
