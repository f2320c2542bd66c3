import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'

const FOLDER = new URL('../drizzle/migrations', import.meta.url).pathname
const WORKER_ROLE = 'registry_worker'

/**
 * Brings the tables up to date and, when a password is given, lets the Worker's role log in with it.
 *
 * @param databaseUrl the owner of the database
 * @param workerPassword the password of the role `registry_worker`
 * @returns the URL with which the Worker connects
 */
export async function migrateDatabase(databaseUrl: string, workerPassword?: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query('SET client_min_messages = warning')
    await migrate(drizzle(client), { migrationsFolder: FOLDER })
    if (workerPassword) {
      await client.query(`ALTER ROLE ${WORKER_ROLE} LOGIN PASSWORD ${client.escapeLiteral(workerPassword)}`)
    }
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
  if (!DATABASE_URL) {
    console.error('DATABASE_URL: required, the URL of the database owner')
    process.exit(1)
  }
  await migrateDatabase(DATABASE_URL, WORKER_PASSWORD)
  console.log('migrated')
}
