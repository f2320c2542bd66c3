import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import type pg from 'pg'

export const MIGRATIONS_FOLDER = join(import.meta.dirname, '../../drizzle/migrations')

/** The names of the migrations that a database does not have, and the number of migrations only it has. */
export async function stateOfMigrations(client: pg.Client): Promise<{ pending: string[]; unknown: number }> {
  const journal = JSON.parse(readFileSync(join(MIGRATIONS_FOLDER, 'meta/_journal.json'), 'utf8')) as {
    entries: { tag: string }[]
  }
  const files = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER })
  const applied = await appliedHashes(client)
  const pending = files.flatMap(({ hash }, n) =>
    applied.includes(hash) ? [] : [journal.entries[n]?.tag ?? ''],
  )
  return { pending, unknown: applied.length - (files.length - pending.length) }
}

async function appliedHashes(client: pg.Client): Promise<string[]> {
  const found = await client.query(`SELECT FROM pg_tables WHERE tablename = '__drizzle_migrations'`)
  if (found.rows.length === 0) return []
  const { rows } = await client.query<{ hash: string }>('SELECT hash FROM drizzle.__drizzle_migrations')
  return rows.map(({ hash }) => hash)
}
