import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { type Served, serve } from '../serve.ts'
import { backendPid, connect, makePool, run, runBatch, terminateBackend } from './session.ts'
import { parsePayload, Rejection, toErrorBody } from './wire.ts'

/**
 * Starts the stand-in for Neon's SQL over HTTP, which works with any PostgreSQL.
 *
 * @returns the endpoint for `neonConfig.fetchEndpoint`, which ends in `/sql`
 * Source: `proxy/src/serverless/sql_over_http.rs` of neondatabase/neon
 */
export async function startNeon(): Promise<Served> {
  const pools = new Map<string, pg.Pool>()
  const server = await serve('postgres', (request, response) => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    execute(pools, request, gone.signal).then(
      (result) => send(response, 200, result),
      (error) => send(response, error instanceof Rejection ? error.status : 400, toErrorBody(error)),
    )
  })
  return {
    url: `${server.url}/sql`,
    stop: async () => {
      await server.stop()
      await Promise.all([...pools.values()].map((pool) => pool.end()))
    },
  }
}

async function execute(pools: Map<string, pg.Pool>, request: IncomingMessage, gone: AbortSignal) {
  if (request.method !== 'POST' || request.url !== '/sql')
    throw new Rejection(404, 'only POST /sql is supported')
  const connectionString = String(request.headers['neon-connection-string'])
  if (!URL.canParse(connectionString)) throw new Rejection(400, 'Neon-Connection-String: not a URL')
  const body = parsePayload(await text(request))
  const pool = pools.get(connectionString) ?? makePool(connectionString)
  pools.set(connectionString, pool)

  const client = await connect(pool)
  let termination: Promise<void> | undefined
  const terminate = () => {
    termination = terminateBackend(connectionString, backendPid(client))
  }
  let isSound = true
  try {
    if (gone.aborted) throw new Rejection(400, 'the client disconnected')
    gone.addEventListener('abort', terminate)
    return await ('queries' in body ? runBatch(client, body.queries) : run(client, body))
  } catch (error) {
    isSound = error instanceof pg.DatabaseError && error.severity === 'ERROR'
    throw error
  } finally {
    gone.removeEventListener('abort', terminate)
    await termination
    // A statement may have been BEGIN: a connection that is not idle must not be reused.
    client.release(!isSound || gone.aborted || client.getTransactionStatus() !== 'I')
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
