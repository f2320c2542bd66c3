import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { messageOf } from '../support/message.ts'

const FOLDER = join(import.meta.dirname, '../../drizzle/functions')
const INVALID_FUNCTION_DEFINITION = '42P13' // a changed result type or parameter name
const WORKER_ROLE = 'registry_worker'

/** The file of a SQL function. */
export interface FunctionFile {
  /** The name of the file without `.sql`, and of its only function. */
  name: string
  text: string
}

/** The functions of drizzle/functions, by name. */
export function readFunctions(): FunctionFile[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ name: file.slice(0, -4), text: readFileSync(join(FOLDER, file), 'utf8') }))
}

/**
 * Applies the function files in one transaction: creates or replaces the function of each changed file, and drops the
 * functions whose file was removed. The caller blocks other migrations.
 *
 * @param files by default those of drizzle/functions
 * @throws Error that names the function; if its parameters or result have changed, the error asks for a new name
 */
export async function applyFunctions(client: pg.Client, files = readFunctions()): Promise<void> {
  await client.query(
    'CREATE TABLE IF NOT EXISTS drizzle.sql_functions (name text PRIMARY KEY, sha256 text NOT NULL)',
  )
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'SELECT name, sha256 FROM drizzle.sql_functions',
  )
  const applied = new Map(rows.map(({ name, sha256 }) => [name, sha256]))
  const names = new Set(files.map(({ name }) => name))
  const changed = files.filter((file) => applied.get(file.name) !== hashOf(file))
  const gone = [...applied.keys()].filter((name) => !names.has(name))
  if (changed.length === 0 && gone.length === 0) return
  await client.query('BEGIN')
  try {
    for (const name of gone) await drop(client, name)
    // First without checks, because the functions call each other in any order; then again with checks.
    for (const check of ['off', 'on']) {
      await client.query(`SET LOCAL check_function_bodies = ${check}`)
      for (const file of changed) await create(client, file)
    }
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined) // the first error is more helpful
    throw error
  }
}

/** The names of functions that differ from their files, including those whose file was removed. */
export async function pendingFunctions(client: pg.Client, files = readFunctions()): Promise<string[]> {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'SELECT name, sha256 FROM drizzle.sql_functions',
  )
  const applied = new Map(rows.map(({ name, sha256 }) => [name, sha256]))
  const changed = files.filter((file) => applied.get(file.name) !== hashOf(file)).map(({ name }) => name)
  const gone = [...applied.keys()].filter((name) => !files.some((file) => file.name === name))
  return [...changed, ...gone]
}

async function drop(client: pg.Client, name: string): Promise<void> {
  await client.query(`DROP FUNCTION IF EXISTS public.${client.escapeIdentifier(name)}`)
  await client.query('DELETE FROM drizzle.sql_functions WHERE name = $1', [name])
}

async function create(client: pg.Client, file: FunctionFile): Promise<void> {
  const { name, text } = file
  await client.query(text).catch((error: unknown) => {
    if (error instanceof pg.DatabaseError && error.code === INVALID_FUNCTION_DEFINITION)
      throw incompatible(name)
    throw new Error(`drizzle/functions/${name}.sql: ${messageOf(error)}`, { cause: error })
  })
  const { rows } = await client.query<{ count: number; as_owner: boolean }>(
    `SELECT count(*)::integer AS count, bool_or(prosecdef) AS as_owner FROM pg_proc
     WHERE pronamespace = 'public'::regnamespace AND proname = $1`,
    [name],
  )
  const { count = 0, as_owner = false } = rows[0] ?? {}
  if (count === 0) throw new Error(`drizzle/functions/${name}.sql: must define the function ${name}`)
  if (count > 1) throw incompatible(name) // other parameter types create a second function with this name
  if (as_owner) await restrictToWorker(client, name)
  await client.query(
    `INSERT INTO drizzle.sql_functions (name, sha256) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256`,
    [name, hashOf(file)],
  )
}

/** By default, PostgreSQL lets every role execute a function, even one that has the rights of its owner. */
async function restrictToWorker(client: pg.Client, name: string): Promise<void> {
  const called = `public.${client.escapeIdentifier(name)}`
  await client.query(`REVOKE EXECUTE ON FUNCTION ${called} FROM PUBLIC`)
  await client.query(`GRANT EXECUTE ON FUNCTION ${called} TO ${WORKER_ROLE}`)
}

function incompatible(name: string): Error {
  return new Error(
    `drizzle/functions/${name}.sql: its parameters or its result have changed; an incompatible change needs a new name`,
  )
}

function hashOf({ text }: FunctionFile): string {
  return createHash('sha256').update(text).digest('hex')
}
