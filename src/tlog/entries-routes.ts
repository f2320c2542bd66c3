import { endpoint, router } from '../api/endpoint.ts'
import { readerOf } from '../credentials/authorize.ts'
import type { Db } from '../db/client.ts'
import { ApiError } from '../errors.ts'
import { publicJson } from '../http/caching.ts'
import { agentNotFound, requireValidNumber } from '../wire/agent-number.ts'
import { idParam, regParam, slugParam } from '../wire/fields.ts'
import { fromCursor, toCursor } from './cursor.ts'
import { listEntries, listStates } from './entries-store.ts'
import { responses } from './responses.ts'
import { ENTRY_KINDS, entriesQuery, type StatesQuery, statesQuery } from './schema.ts'

export const logEntryRoutes = router()
  .openapi(
    endpoint({
      ...responses.listLogEntries,
      method: 'get',
      path: '/agents/{reg}/log-entries',
      access: { by: 'anyone' },
      request: { params: regParam, query: entriesQuery },
    }),
    async (c) => {
      const { reg } = c.req.valid('param')
      const { kind, after, cursor, limit } = c.req.valid('query')
      requireValidNumber(reg)
      const place = (cursor && fromCursor(cursor)) || { seq: 0, index: -1 }
      const from = { seq: Math.max(place.seq, after), index: place.index }
      const page = await listEntries(c.get('db'), reg, readerOf(c), {
        kinds: kind ? [kind] : ENTRY_KINDS,
        from,
        limit,
      })
      if (!page) throw agentNotFound(reg)
      return publicJson(c, { data: page.entries, next_cursor: page.next && toCursor(page.next) })
    },
  )
  .openapi(
    endpoint({
      ...responses.listOperatorLogEntries,
      method: 'get',
      path: '/operators/{id}/log-entries',
      access: { by: 'anyone' },
      request: { params: idParam('id', 'the operator'), query: statesQuery },
    }),
    async (c) => {
      const { id } = c.req.valid('param')
      const page = await listPage(c.get('db'), 'operator', id.toLowerCase(), c.req.valid('query'))
      if (!page) throw new ApiError('NOT_FOUND', `there is no operator ${id}`)
      return publicJson(c, page)
    },
  )
  .openapi(
    endpoint({
      ...responses.listPlatformLogEntries,
      method: 'get',
      path: '/platforms/{slug}/log-entries',
      access: { by: 'anyone' },
      request: { params: slugParam, query: statesQuery },
    }),
    async (c) => {
      const { slug } = c.req.valid('param')
      const page = await listPage(c.get('db'), 'platform', slug, c.req.valid('query'))
      if (!page) throw new ApiError('NOT_FOUND', `there is no platform '${slug}'`)
      return publicJson(c, page)
    },
  )

async function listPage(db: Db, kind: 'operator' | 'platform', subject: string, query: StatesQuery) {
  const { index: after } = (query.cursor && fromCursor(query.cursor)) || { index: -1 }
  const page = await listStates(db, kind, subject, { after, limit: query.limit })
  if (!page) return null
  const last = page.more ? page.entries.at(-1) : null
  return { data: page.entries, next_cursor: last ? toCursor({ seq: 0, index: last.index }) : null }
}
