import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { migrateDatabase } from '../../scripts/migrate.ts'
import { withClient } from '../../scripts/support/database.ts'
import type { Harness } from './harness.ts'

export { withClient }

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

/**
 * A separate database on the server of a stack. `create` copies a migrated one, which takes a tenth of a migration.
 *
 * @param prefix of its name
 */
export function separateDatabase(h: Harness, prefix: string) {
  const name = `${prefix}_${randomUUID().replaceAll('-', '')}`
  const urlOf = (database: string) =>
    Object.assign(new URL(h.database_url), { pathname: `/${database}` }).href
  const create = () =>
    inTurn(h, async (client) => {
      if (!templates.has(h.database_url)) {
        const { rowCount } = await client.query('select from pg_database where datname = $1', [TEMPLATE])
        if (rowCount === 0) await client.query(`create database ${TEMPLATE}`)
        await migrateDatabase(urlOf(TEMPLATE))
        templates.add(h.database_url)
      }
      await client.query(`create database ${name} template ${TEMPLATE}`)
    })
  const drop = () => h.sql(`drop database if exists ${name} with (force)`)
  return { name, url: urlOf(name), create, drop }
}

function inTurn(server: Server, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  return withClient(server.database_url, async (client) => {
    await client.query("select pg_advisory_lock(hashtextextended('migrations of tests', 0))")
    await work(client)
  })
}
