import type { RequestListener } from 'node:http'
import { sql } from 'drizzle-orm'
import { afterAll, describe, expect, it } from 'vitest'
import { serve } from '../../local/stand-ins/serve.ts'
import { connect } from '../../src/db/client.ts'
import { isUnavailable } from '../../src/db/errors.ts'

const RESPONSES: Record<string, RequestListener> = {
  'breaks off': (request, response) => {
    response.writeHead(200, { 'content-length': 100 })
    response.write('{"fields":', () => request.socket.destroy())
  },
  'is not JSON': (_, response) => response.writeHead(200).end('<html>'),
  'is an error that breaks off': (request, response) => {
    response.writeHead(400, { 'content-length': 100 })
    response.write('{"message":', () => request.socket.destroy())
  },
  'comes from a proxy': (_, response) => response.writeHead(502).end('<html>'),
  'never comes': (request) => request.socket.destroy(),
}

let respond: RequestListener = () => undefined
const server = await serve('database', (request, response) => respond(request, response))
afterAll(server.stop)

describe.each(Object.keys(RESPONSES))('when the response of the database %s', (kind) => {
  const fail = async (ask: (db: ReturnType<typeof connect>) => Promise<unknown>) => {
    respond = RESPONSES[kind] as RequestListener
    const env = { DATABASE_URL: 'postgresql://worker:x@127.0.0.1/registry', NEON_SQL_URL: server.url }
    return ask(connect(env, AbortSignal.timeout(5_000))).catch((error: unknown) => error)
  }

  it('counts as unavailable, for a statement and for a batch', async () => {
    const statement = await fail(async (db) => db.execute(sql`select 1`))
    const batch = await fail((db) => db.batch([db.execute(sql`select 1`), db.execute(sql`select 2`)]))
    expect([isUnavailable(statement), isUnavailable(batch)]).toEqual([true, true])
  })
})
