import { router } from '../api/endpoint.ts'
import { readerOf } from '../credentials/authorize.ts'
import { publicJson } from '../http/caching.ts'
import { agentNotFound, requireValidNumber } from '../wire/agent-number.ts'
import { regParam } from '../wire/fields.ts'
import { fromCursor, toCursor } from './cursor.ts'
import { listEntries } from './entries-store.ts'
import type { responses } from './responses.ts'
import { ENTRY_KINDS, entriesQuery } from './schema.ts'

export const logEntryRoutes = router<typeof responses>().endpoint(
  {
    operationId: 'listLogEntries',
    method: 'get',
    path: '/agents/{reg}/log-entries',
    access: { by: 'anyone' },
    request: { params: regParam, query: entriesQuery },
  },
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
