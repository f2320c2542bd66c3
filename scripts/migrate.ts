import { join } from 'node:path'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { applyFunctions } from './migrate/functions.ts'
import { messageOf } from './support/message.ts'
import { readStackFile } from './support/stack-file.ts'

const FOLDER = join(import.meta.dirname, '../drizzle/migrations')
const WORKER_ROLE = 'registry_worker'
const LOCK = 0x6167656e74 // any number, the same in every run: "agent"

/**
 * Brings the tables and then the functions up to date and, when a password is given, lets the Worker's role log in with
 * it. Several at once wait for each other.
 *
 * @param databaseUrl the owner of the database
 * @param workerPassword the password of the role `registry_worker`
 * @returns the URL with which the Worker connects
 * @throws Error that says why it was not possible
 */
export async function migrateDatabase(databaseUrl: string, workerPassword?: string): Promise<string> {
  if (!URL.canParse(databaseUrl)) throw new Error('DATABASE_URL: must be a URL, postgresql://…')
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SET client_min_messages = warning')
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]) // two at once would run the same file twice
    await requireKnownMigrations(client)
    await migrate(drizzle(client), { migrationsFolder: FOLDER })
    await applyFunctions(client)
    if (workerPassword) {
      await client.query(`ALTER ROLE ${WORKER_ROLE} LOGIN PASSWORD ${client.escapeLiteral(workerPassword)}`)
    }
  } catch (error) {
    const { host } = new URL(databaseUrl)
    throw new Error(`the database at ${host} cannot be migrated: ${messageOf(error)}`, { cause: error })
  } finally {
    await client.end()
  }
  const url = new URL(databaseUrl)
  url.username = WORKER_ROLE
  url.password = workerPassword ?? ''
  return url.href
}

/** @throws Error when the database has a migration that is not of the folder: nothing leads from there to here */
async function requireKnownMigrations(client: pg.Client): Promise<void> {
  const { rows: tables } = await client.query(
    `SELECT to_regclass('drizzle.__drizzle_migrations') IS NOT NULL AS made`,
  )
  if (!tables[0]?.made) return
  const known = new Set(readMigrationFiles({ migrationsFolder: FOLDER }).map(({ hash }) => hash))
  const { rows } = await client.query<{ hash: string }>('SELECT hash FROM drizzle.__drizzle_migrations')
  if (rows.every(({ hash }) => known.has(hash))) return
  throw new Error(
    'it was made by another version of the migrations; a local one starts empty with "npm run dev -- --fresh"',
  )
}

if (import.meta.main) {
  try {
    const databaseUrl = process.env.DATABASE_URL || readStackFile().database_url
    await migrateDatabase(databaseUrl, process.env.WORKER_PASSWORD)
    console.log(`migrated the database at ${new URL(databaseUrl).host}`)
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  }
}
