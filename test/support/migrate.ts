import pg from 'pg'
import { migrateDatabase } from '../../scripts/migrate.ts'
import type { Harness } from './harness.ts'

/**
 * Migrates another database on the shared server, one at a time: roles belong to the whole server, and concurrent
 * migrations that alter a role would fail.
 */
export async function migrateInTurn(
  { database_url }: Pick<Harness, 'database_url'>,
  url: string,
): Promise<void> {
  const lock = new pg.Client({ connectionString: database_url })
  await lock.connect()
  try {
    await lock.query("select pg_advisory_lock(hashtextextended('migrations of tests', 0))")
    await migrateDatabase(url)
  } finally {
    await lock.end()
  }
}
