import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { z } from 'zod'
import { type Served, serve } from './serve.ts'

const MAX_CONNECTIONS = 40
const CONNECT_MS = 10_000
const IDLE_MS = 60_000
const ISOLATION_LEVELS = new Map(
  Object.entries({
    ReadUncommitted: 'ISOLATION LEVEL READ UNCOMMITTED',
    ReadCommitted: 'ISOLATION LEVEL READ COMMITTED',
    RepeatableRead: 'ISOLATION LEVEL REPEATABLE READ',
    Serializable: 'ISOLATION LEVEL SERIALIZABLE',
  }),
)

const ERROR_FIELDS = [
  'severity',
  'code',
  'detail',
  'hint',
  'position',
  'internalPosition',
  'internalQuery',
  'where',
  'schema',
  'table',
  'column',
  'dataType',
  'constraint',
  'file',
  'line',
  'routine',
] as const

const statement = z.object({ query: z.string(), params: z.array(z.unknown()).default([]) })
const payload = z.union([statement, z.object({ queries: z.array(statement) })])
type Statement = z.infer<typeof statement>

/** A refusal with its own status; whatever else a statement throws is answered with 400, as Neon does. */
class Refusal extends Error {
  readonly status: number
  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause })
    this.status = status
  }
}

/**
 * Starts Neon's SQL over HTTP in front of any PostgreSQL.
 *
 * @param options.port a fixed port, or a free one when left out
 * @returns the endpoint for `neonConfig.fetchEndpoint`, which ends in `/sql`
 * Source: `proxy/src/serverless/sql_over_http.rs` of neondatabase/neon
 */
export async function startNeon(options: { port?: number } = {}): Promise<Served> {
  const pools = new Map<string, pg.Pool>()
  const server = await serve(
    'postgres',
    (request, response) => {
      const gone = new AbortController()
      response.once('close', () => gone.abort())
      execute(pools, request, gone.signal).then(
        (result) => send(response, 200, result),
        (error) => send(response, error instanceof Refusal ? error.status : 400, toErrorBody(error)),
      )
    },
    options.port,
  )
  return {
    url: `${server.url}/sql`,
    stop: async () => {
      await server.stop()
      await Promise.all([...pools.values()].map((pool) => pool.end()))
    },
  }
}

async function execute(pools: Map<string, pg.Pool>, request: IncomingMessage, gone: AbortSignal) {
  if (request.method !== 'POST' || request.url !== '/sql') throw new Refusal(404, 'only POST /sql is here')
  const connectionString = String(request.headers['neon-connection-string'])
  if (!URL.canParse(connectionString)) throw new Refusal(400, 'Neon-Connection-String: not a URL')
  const modes = transactionModes(request.headers)
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
    if (gone.aborted) throw new Refusal(400, 'the client has gone')
    gone.addEventListener('abort', terminate)
    return await ('queries' in body ? runBatch(client, body.queries, modes) : run(client, body))
  } catch (error) {
    isSound = error instanceof pg.DatabaseError && error.severity === 'ERROR'
    throw error
  } finally {
    gone.removeEventListener('abort', terminate)
    await termination
    // A statement may have been BEGIN: what is not idle must not reach the next caller.
    client.release(!isSound || gone.aborted || client.getTransactionStatus() !== 'I')
  }
}

function transactionModes(headers: IncomingMessage['headers']): string {
  const level = headers['neon-batch-isolation-level']
  const isolation = level === undefined ? undefined : ISOLATION_LEVELS.get(String(level))
  if (level !== undefined && !isolation) throw new Refusal(400, 'invalid isolation level')
  const readOnly = headers['neon-batch-read-only'] === 'true' && 'READ ONLY'
  const deferrable = headers['neon-batch-deferrable'] === 'true' && 'DEFERRABLE'
  return [isolation, readOnly, deferrable].filter(Boolean).join(', ')
}

function parsePayload(body: string): z.infer<typeof payload> {
  try {
    return payload.parse(JSON.parse(body))
  } catch (error) {
    throw new Refusal(400, 'the body is not {query, params} or {queries}', error)
  }
}

function makePool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    allowExitOnIdle: true,
    types: { getTypeParser: () => (value: string) => value },
  })
  // A lost connection shows in the query it breaks; unheard, the events would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    // Wrong password and unknown database are the caller's fault, all else is the database's.
    const isCallers = error instanceof pg.DatabaseError && /^(28|3D)/.test(error.code ?? '')
    throw new Refusal(isCallers ? 400 : 500, `could not connect: ${messageOf(error)}`, error)
  }
}

/** node-postgres keeps the server's process id on every connected client, but its types leave it out. */
function backendPid(client: pg.PoolClient): number {
  return (client as pg.PoolClient & { processID: number }).processID
}

/** Ends a session whose caller has gone. Cancelling would miss a statement that is only on its way. */
async function terminateBackend(connectionString: string, pid: number): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT pg_terminate_backend($1)', [pid])
  } catch {
    // The server itself is gone, and the session with it.
  } finally {
    await client.end()
  }
}

async function runBatch(client: pg.PoolClient, statements: Statement[], modes: string) {
  await client.query(`START TRANSACTION ${modes}`)
  try {
    const results = []
    for (const one of statements) results.push(await run(client, one))
    await client.query('COMMIT')
    return { results }
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

async function run(client: pg.PoolClient, { query, params }: Statement) {
  // The extended protocol also without parameters: it refuses several statements in one text, as Neon does.
  const config = { text: query, values: params.map(toText), rowMode: 'array' as const, queryMode: 'extended' }
  const { fields, rows, command, rowCount } = await client.query(config)
  return { fields, rows, command: command ?? '', rowCount, rowAsArray: true }
}

function toText(param: unknown): string | null {
  if (param === null || typeof param === 'string') return param
  return Array.isArray(param) ? toArrayText(param) : JSON.stringify(param)
}

function toArrayText(items: unknown[]): string {
  const texts = items.map((item) => {
    if (item === null) return 'NULL'
    if (Array.isArray(item)) return toArrayText(item)
    const json = JSON.stringify(item)
    return typeof item === 'object' ? JSON.stringify(json) : json
  })
  return `{${texts.join(',')}}`
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

function toErrorBody(thrown: unknown) {
  const error = thrown instanceof Refusal && thrown.cause instanceof pg.DatabaseError ? thrown.cause : thrown
  const message = messageOf(error)
  if (!(error instanceof pg.DatabaseError)) return { message, code: '', severity: '' }
  return { message, ...Object.fromEntries(ERROR_FIELDS.map((field) => [field, error[field] ?? null])) }
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
