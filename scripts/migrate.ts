import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { messageOf } from './support/message.ts'

const FOLDER = join(import.meta.dirname, '../drizzle/migrations')
const WORKER_ROLE = 'registry_worker'
const LOCK = 0x6167656e74 // any number, the same in every run: "agent"

/**
 * Brings the tables up to date and, when a password is given, lets the Worker's role log in with it.
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
    await migrate(drizzle(client), { migrationsFolder: FOLDER })
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

if (import.meta.main) {
  const { DATABASE_URL, WORKER_PASSWORD } = process.env
  try {
    if (!DATABASE_URL) throw new Error('DATABASE_URL: required, the URL of the database owner')
    await migrateDatabase(DATABASE_URL, WORKER_PASSWORD)
    console.log('migrated')
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  }
}
