import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { MIGRATIONS_FOLDER, stateOfMigrations } from './migrate/migrations.ts'
import { applyPrerequisites, applySources } from './migrate/sources.ts'
import { withClient } from './support/database.ts'
import { messageOf } from './support/message.ts'
import { runProgram } from './support/program.ts'
import { readStackFile } from './support/stack-file.ts'

const WORKER_ROLE = 'registry_worker'
const LOCK = 0x6167656e74 // an arbitrary constant: "agent" in ASCII
// Statements of the service queue behind one that waits for a lock, and give up after 3 s.
const LOCK_TIMEOUT = '1s'

/**
 * Applies the migrations, then the sources that have changed, and sets the password of the Worker's role if one is
 * given. Concurrent runs wait for each other.
 *
 * @param databaseUrl connection string of the database owner
 * @param workerPassword the password of the role `registry_worker`
 * @returns the URL with which the Worker connects
 * @throws Error that states why it failed; then nothing of the failed step was applied, and it can be repeated
 */
export async function migrateDatabase(databaseUrl: string, workerPassword?: string): Promise<string> {
  if (!URL.canParse(databaseUrl)) throw new Error('DATABASE_URL: must be a URL, postgresql://…')
  try {
    await withClient(databaseUrl, async (client) => {
      await client.query('SET client_min_messages = warning; SET statement_timeout = 0')
      await client.query('SELECT pg_advisory_lock($1)', [LOCK])
      await client.query(`SET lock_timeout = '${LOCK_TIMEOUT}'`)
      if ((await stateOfMigrations(client)).unknown > 0) {
        throw new Error(
          'it was created by another version of the migrations; to start a local stack without data: npm run dev -- --fresh',
        )
      }
      await applyPrerequisites(client)
      await migrate(drizzle(client), { migrationsFolder: MIGRATIONS_FOLDER })
      await applySources(client)
      if (workerPassword) {
        await client.query(`ALTER ROLE ${WORKER_ROLE} LOGIN PASSWORD ${client.escapeLiteral(workerPassword)}`)
      }
    })
  } catch (error) {
    const { host } = new URL(databaseUrl)
    throw new Error(`the database at ${host} cannot be migrated: ${messageOf(error)}`, {
      cause: error,
    })
  }
  const url = new URL(databaseUrl)
  url.username = WORKER_ROLE
  url.password = workerPassword ?? ''
  return url.href
}

if (import.meta.main) {
  await runProgram(async () => {
    const databaseUrl = process.env.DATABASE_URL || readStackFile().database_url
    await migrateDatabase(databaseUrl, process.env.WORKER_PASSWORD)
    console.log(`migrated the database at ${new URL(databaseUrl).host}`)
  })
}
