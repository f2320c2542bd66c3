import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
const server = createServer((request, response) => respond(request, response))
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => void server.close())

describe.each(Object.keys(RESPONSES))('when the response of the database %s', (kind) => {
  const fail = async (ask: (db: ReturnType<typeof connect>) => Promise<unknown>) => {
    respond = RESPONSES[kind] as RequestListener
    const NEON_SQL_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sql`
    const env = { DATABASE_URL: 'postgresql://worker:x@127.0.0.1/registry', NEON_SQL_URL }
    return ask(connect(env, AbortSignal.timeout(5_000))).catch((error: unknown) => error)
  }

  it('counts as unavailable, for a statement and for a batch', async () => {
    const statement = await fail(async (db) => db.execute(sql`select 1`))
    const batch = await fail((db) => db.batch([db.execute(sql`select 1`), db.execute(sql`select 2`)]))
    expect([isUnavailable(statement), isUnavailable(batch)]).toEqual([true, true])
  })
})
