import pg from 'pg'
import { migrateDatabase } from '../../scripts/migrate.ts'
import type { Harness } from './harness.ts'

type Server = Pick<Harness, 'database_url'>

const TEMPLATE = 'migrated'
const templates = new Set<string>() // the servers on which this process has migrated it

/**
 * Migrates another database on the shared server, one at a time: roles belong to the whole server, and concurrent
 * migrations that alter a role would fail.
 */
export async function migrateInTurn(server: Server, url: string): Promise<void> {
  await inTurn(server, () => migrateDatabase(url))
}

/** Creates a database on the shared server as a copy of a migrated one, which takes a tenth of a migration. */
export async function createMigrated(server: Server, name: string): Promise<string> {
  const urlOf = (database: string) =>
    Object.assign(new URL(server.database_url), { pathname: `/${database}` }).href
  await inTurn(server, async (client) => {
    if (!templates.has(server.database_url)) {
      const { rowCount } = await client.query('select from pg_database where datname = $1', [TEMPLATE])
      if (rowCount === 0) await client.query(`create database ${TEMPLATE}`)
      await migrateDatabase(urlOf(TEMPLATE))
      templates.add(server.database_url)
    }
    await client.query(`create database ${name} template ${TEMPLATE}`)
  })
  return urlOf(name)
}

async function inTurn(server: Server, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: server.database_url })
  await client.connect()
  try {
    await client.query("select pg_advisory_lock(hashtextextended('migrations of tests', 0))")
    await work(client)
  } finally {
    await client.end()
  }
}
