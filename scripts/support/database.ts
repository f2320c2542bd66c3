import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'

/** Runs work with a connection to a database, and closes the connection. */
export async function withDatabase<T>(
  connectionString: string,
  work: (db: NodePgDatabase) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(drizzle({ client }))
  } finally {
    await client.end()
  }
}
