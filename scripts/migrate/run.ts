import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import pg from 'pg'
import { messageOf } from '../support/message.ts'
import { type Step, titleOf, toStep } from './steps.ts'

/** A migration file. */
export interface Migration {
  name: string
  /** SHA-256 of the file, which identifies it, also for drizzle. */
  hash: string
  folderMillis: number
  /** Its statements. */
  sql: string[]
}

// Other statements queue behind one that waits for a lock, so it gives up after less than a second and lets them pass.
const LOCK_TIMEOUT_MS = 400
const PAUSE_MS = 1_000
const TRIES_MAX = 600 // ten minutes
const PAGES_MAX = 1_000_000
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK_DETECTED = '40P01'

/** Reads the migrations of a folder of drizzle-kit, in order. */
export function readMigrations(folder: string): Migration[] {
  const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as {
    entries: { tag: string }[]
  }
  return readMigrationFiles({ migrationsFolder: folder }).map((file, n) => ({
    ...file,
    name: journal.entries[n]?.tag ?? '',
  }))
}

/**
 * Applies the pending migrations to a database, statement by statement, while the service runs. Stores the progress
 * with each statement, so that the next run continues an interrupted one. The caller blocks other migrations.
 *
 * @param say receives each step with its duration, and each wait for a lock
 * @throws Error that names the migration and the statement, or when the database has an unknown migration
 */
export async function applyMigrations(
  client: pg.Client,
  migrations: readonly Migration[],
  say: (line: string) => void = () => undefined,
): Promise<void> {
  await client.query(`CREATE SCHEMA IF NOT EXISTS drizzle;
    CREATE TABLE IF NOT EXISTS drizzle.__drizzle_migrations (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint);
    CREATE TABLE IF NOT EXISTS drizzle.migration_progress (hash text PRIMARY KEY, statements integer NOT NULL)`)
  const { rows: applied } = await client.query<{ hash: string }>(
    'SELECT hash FROM drizzle.__drizzle_migrations',
  )
  const { rows: begun } = await client.query<{ hash: string; statements: number }>(
    'SELECT hash, statements FROM drizzle.migration_progress',
  )
  const known = new Set(migrations.map(({ hash }) => hash))
  if (![...applied, ...begun].every(({ hash }) => known.has(hash))) {
    throw new Error(
      'it was created by another version of the migrations; to start a local stack without data: npm run dev -- --fresh',
    )
  }
  for (const migration of migrations) {
    if (applied.some(({ hash }) => hash === migration.hash)) continue
    const done = begun.find(({ hash }) => hash === migration.hash)?.statements ?? 0
    await apply(client, migration, done, say)
  }
}

/** The names of the pending migrations of a database, and how many unknown migrations it has. */
export async function pendingMigrations(
  client: pg.Client,
  migrations: readonly Migration[],
): Promise<{ pending: string[]; unknown: number }> {
  const { rows } = await client.query<{ hash: string }>('SELECT hash FROM drizzle.__drizzle_migrations')
  const applied = new Set(rows.map(({ hash }) => hash))
  const pending = migrations.filter(({ hash }) => !applied.has(hash)).map(({ name }) => name)
  return { pending, unknown: rows.length - (migrations.length - pending.length) }
}

async function apply(client: pg.Client, migration: Migration, done: number, say: (line: string) => void) {
  const { name, hash, folderMillis, sql } = migration
  for (const [n, text] of sql.entries()) {
    if (n < done) continue
    const at = `${name} ${n + 1}/${sql.length}`
    const began = performance.now()
    try {
      const progress = { hash, statements: n + 1 }
      const note = await retryLocked(`${at} ${titleOf(text)}`, say, () =>
        runStep(client, toStep(text), progress),
      )
      say(`${at} ${((performance.now() - began) / 1000).toFixed(2)} s ${note}${titleOf(text)}`)
    } catch (error) {
      throw new Error(`${at}, ${titleOf(text)}: ${messageOf(error)}`, { cause: error })
    }
  }
  await inTransaction(client, async () => {
    await client.query('INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ($1, $2)', [
      hash,
      folderMillis,
    ])
    await client.query('DELETE FROM drizzle.migration_progress WHERE hash = $1', [hash])
  })
}

interface Progress {
  hash: string
  statements: number
}

/** @returns a prefix for the printed line, or an empty string */
async function runStep(client: pg.Client, step: Step, progress: Progress): Promise<string> {
  switch (step.kind) {
    case 'once':
      await inTransaction(client, async () => {
        await client.query(step.sql)
        await remember(client, progress)
      })
      return ''
    case 'index': {
      const note = await runIndexStep(client, step)
      await remember(client, progress)
      return note
    }
    case 'pages':
      return runPages(client, step.sql, progress)
  }
}

async function runPages(client: pg.Client, sql: string, progress: Progress): Promise<string> {
  let rows = 0
  for (let page = 0; page < PAGES_MAX; page++) {
    const changed = await inTransaction(client, async () => {
      const { rowCount } = await client.query(sql)
      if (!rowCount) await remember(client, progress)
      return rowCount ?? 0
    })
    if (changed === 0) return `${page} pages, ${rows} rows: `
    rows += changed
  }
  throw new Error('its pages do not end: the statement must exclude the rows that it has changed')
}

/** Waits without a timeout, as nothing queues behind it. Rebuilds the invalid index of an interrupted build. */
async function runIndexStep(
  client: pg.Client,
  { verb, index, sql }: Extract<Step, { kind: 'index' }>,
): Promise<string> {
  const { rows } = await client.query<{ indisvalid: boolean }>(
    'SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)',
    [client.escapeIdentifier(index)],
  )
  const found = rows[0]
  if (verb === 'DROP') {
    if (found) await client.query(sql)
    return ''
  }
  if (found?.indisvalid) return 'already built: '
  if (found) await client.query(`DROP INDEX CONCURRENTLY ${client.escapeIdentifier(index)}`)
  await client.query(sql)
  return found ? 'rebuilt: ' : ''
}

async function remember(client: pg.Client, { hash, statements }: Progress): Promise<void> {
  await client.query(
    `INSERT INTO drizzle.migration_progress (hash, statements) VALUES ($1, $2)
     ON CONFLICT (hash) DO UPDATE SET statements = excluded.statements`,
    [hash, statements],
  )
}

async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
  try {
    const result = await work()
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined) // the first error tells more
    throw error
  }
}

/** Retries work while others hold a lock that it needs. */
async function retryLocked<T>(what: string, say: (line: string) => void, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const isHeld =
        error instanceof pg.DatabaseError &&
        (error.code === LOCK_NOT_AVAILABLE || error.code === DEADLOCK_DETECTED)
      if (!isHeld || tries === TRIES_MAX) throw error
      if (tries === 1 || tries % 10 === 0)
        say(`${what}: waiting for a lock, retrying every second (${tries})`)
      await pause(PAUSE_MS)
    }
  }
}
