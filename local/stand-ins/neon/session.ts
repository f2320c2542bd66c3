import pg from 'pg'
import { withClient } from '../../../scripts/support/database.ts'
import { messageOf } from '../../../scripts/support/message.ts'
import { Rejection, type Statement } from './wire.ts'

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
  // The failed query reports a lost connection; without these listeners, the event would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

export async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    // A wrong password (28) or unknown database (3D) is an error of the caller.
    const isCallers = error instanceof pg.DatabaseError && /^(28|3D)/.test(error.code ?? '')
    throw new Rejection(isCallers ? 400 : 500, `could not connect: ${messageOf(error)}`, error)
  }
}

/** The property exists on every connected client of node-postgres, but is missing in its types. */
export function backendPid(client: pg.PoolClient): number {
  return (client as pg.PoolClient & { processID: number }).processID
}

/** Ends a session whose caller disconnected. Canceling would miss a statement that has not reached the server yet. */
export async function terminateBackend(connectionString: string, pid: number): Promise<void> {
  await withClient(connectionString, (client) =>
    client.query('SELECT pg_terminate_backend($1)', [pid]),
  ).catch(() => undefined) // the server is down, so the session has ended too
}

export async function runBatch(client: pg.PoolClient, statements: Statement[]) {
  await client.query('START TRANSACTION')
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
  // Like Neon, the extended protocol rejects several statements in one text, even without parameters.
  const config = { text: query, values: params, rowMode: 'array' as const, queryMode: 'extended' }
  const { fields, rows, command, rowCount } = await client.query(config)
  return { fields, rows, command: command ?? '', rowCount, rowAsArray: true }
}
