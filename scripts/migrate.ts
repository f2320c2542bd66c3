import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { applyFunctions } from './migrate/functions.ts'
import { applyMigrations, readMigrations } from './migrate/run.ts'
import { messageOf } from './support/message.ts'
import { readStackFile } from './support/stack-file.ts'

export const FOLDER = join(import.meta.dirname, '../drizzle/migrations')
const WORKER_ROLE = 'registry_worker'
const LOCK = 0x6167656e74 // an arbitrary constant: "agent" in ASCII
const TURN_PAUSE_MS = 200

/**
 * Updates the tables, then the functions, and sets the password of the Worker's role if one is given. Concurrent runs
 * wait for each other.
 *
 * @param databaseUrl connection string of the database owner
 * @param workerPassword the password of the role `registry_worker`
 * @param say receives each step of a migration with its duration
 * @returns the URL with which the Worker connects
 * @throws Error that states why it failed
 */
export async function migrateDatabase(
  databaseUrl: string,
  workerPassword?: string,
  say: (line: string) => void = () => undefined,
): Promise<string> {
  if (!URL.canParse(databaseUrl)) throw new Error('DATABASE_URL: must be a URL, postgresql://…')
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SET client_min_messages = warning')
    await client.query('SET statement_timeout = 0')
    await takeTurn(client, say)
    await applyMigrations(client, readMigrations(FOLDER), say)
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

/**
 * Blocks other migrations until the connection ends. Polls, because a waiting statement would hold a snapshot, and the
 * index build of the other migration waits for the end of all snapshots.
 */
async function takeTurn(client: pg.Client, say: (line: string) => void): Promise<void> {
  for (let tries = 0; ; tries++) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
      LOCK,
    ])
    if (rows[0]?.taken) return
    if (tries === 0) say('waiting for another migration that is running')
    await pause(TURN_PAUSE_MS)
  }
}

if (import.meta.main) {
  try {
    const databaseUrl = process.env.DATABASE_URL || readStackFile().database_url
    await migrateDatabase(databaseUrl, process.env.WORKER_PASSWORD, console.log)
    console.log(`migrated the database at ${new URL(databaseUrl).host}`)
  } catch (error) {
    console.error(messageOf(error))
    process.exitCode = 1
  }
}
