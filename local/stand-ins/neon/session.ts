import pg from 'pg'
import { messageOf } from '../../../scripts/support/message.ts'
import { Rejection, type Statement, toText } from './wire.ts'

const MAX_CONNECTIONS = 40
const CONNECT_MS = 10_000
const IDLE_MS = 60_000
export function makePool(connectionString: string): pg.Pool {
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

export async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    // Wrong password and unknown database are the caller's fault, all else is the database's.
    const isCallers = error instanceof pg.DatabaseError && /^(28|3D)/.test(error.code ?? '')
    throw new Rejection(isCallers ? 400 : 500, `could not connect: ${messageOf(error)}`, error)
  }
}

/** node-postgres keeps the server's process id on every connected client, but its types leave it out. */
export function backendPid(client: pg.PoolClient): number {
  return (client as pg.PoolClient & { processID: number }).processID
}

/** Ends a session whose caller has gone. Cancelling would miss a statement that is only on its way. */
export async function terminateBackend(connectionString: string, pid: number): Promise<void> {
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

export async function runBatch(client: pg.PoolClient, statements: Statement[], modes: string) {
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

export async function run(client: pg.PoolClient, { query, params }: Statement) {
  // The extended protocol also without parameters: it rejects several statements in one text, as Neon does.
  const config = { text: query, values: params.map(toText), rowMode: 'array' as const, queryMode: 'extended' }
  const { fields, rows, command, rowCount } = await client.query(config)
  return { fields, rows, command: command ?? '', rowCount, rowAsArray: true }
}
