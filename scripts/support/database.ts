import { sql } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'

const CONNECT_MS = 15_000 // Neon first starts a database that was idle

export type Database = NodePgDatabase & { $client: pg.Client }

/** Runs work with a connection to a database, and closes the connection. */
export async function withClient<T>(
  connectionString: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Runs work with a connection to a database, as drizzle's database. */
export function withDatabase<T>(connectionString: string, work: (db: Database) => Promise<T>): Promise<T> {
  return withClient(connectionString, (client) => work(drizzle({ client })))
}

/** Runs work in a transaction, which is rolled back if the work fails or for a dry run. */
export async function inTransaction<T>(
  db: NodePgDatabase,
  work: () => Promise<T>,
  { isDry = false, begin = sql`begin` } = {},
): Promise<T> {
  await db.execute(begin)
  try {
    const done = await work()
    await db.execute(isDry ? sql`rollback` : sql`commit`)
    return done
  } catch (error) {
    await db.execute(sql`rollback`).catch(() => undefined) // the first error is more helpful
    throw error
  }
}
