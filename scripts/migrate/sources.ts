import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { messageOf } from '../support/message.ts'

const FOLDER = join(import.meta.dirname, '../../drizzle')
const INVALID_FUNCTION_DEFINITION = '42P13' // a changed result type or parameter name

/** A file of drizzle/ that can be applied again. */
export interface Source {
  /** Its path below drizzle/ without `.sql`; a file in functions/ has the name of its only function. */
  name: string
  text: string
}

/** The functions, then the files that use them, in the order in which they are applied. */
export function readSources(): Source[] {
  const functions = readdirSync(join(FOLDER, 'functions')).sort()
  return [...functions.map((file) => `functions/${file}`), 'triggers.sql', 'grants.sql', 'settings.sql'].map(
    readSource,
  )
}

/** Applies what the tables need before the migrations create them. */
export async function applyPrerequisites(client: pg.Client): Promise<void> {
  await client.query(readSource('prerequisites.sql').text)
}

/**
 * Applies the sources that have changed, in one transaction: creates or replaces functions, drops those whose file was
 * removed, and applies triggers, grants, and settings. The caller blocks other migrations.
 *
 * @throws Error that names the file; if the parameters or the result of a function have changed, it asks for a new name
 */
export async function applySources(client: pg.Client, sources = readSources()): Promise<void> {
  await client.query(
    'CREATE TABLE IF NOT EXISTS drizzle.sources (name text PRIMARY KEY, sha256 text NOT NULL)',
  )
  const { changed, gone } = await compare(client, sources)
  if (changed.length === 0 && gone.length === 0) return
  // A new function needs its grants.
  const applied = sources.filter((source) => changed.includes(source) || source.name === 'grants')
  const functions = applied.filter(isFunction)
  await client.query('BEGIN')
  try {
    for (const name of gone) await client.query(`DROP FUNCTION IF EXISTS public.${functionOf(name)}`)
    // First without checks, because the functions call each other in any order; then again with checks.
    await client.query('SET LOCAL check_function_bodies = off')
    for (const source of functions) await apply(client, source)
    await client.query('SET LOCAL check_function_bodies = on')
    for (const source of applied) await apply(client, source)
    for (const source of functions) await requireOne(client, source)
    await client.query('DELETE FROM drizzle.sources WHERE name = ANY ($1)', [gone])
    await client.query(
      `INSERT INTO drizzle.sources (name, sha256) SELECT * FROM unnest($1::text[], $2::text[])
       ON CONFLICT (name) DO UPDATE SET sha256 = excluded.sha256`,
      [applied.map(({ name }) => name), applied.map(hashOf)],
    )
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined) // the first error is more helpful
    throw error
  }
}

/** The names of sources that differ from what was applied to a database, including those whose file was removed. */
export async function pendingSources(client: pg.Client, sources = readSources()): Promise<string[]> {
  const { changed, gone } = await compare(client, sources)
  return [...changed.map(({ name }) => name), ...gone]
}

async function compare(client: pg.Client, sources: readonly Source[]) {
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'SELECT name, sha256 FROM drizzle.sources',
  )
  const applied = new Map(rows.map(({ name, sha256 }) => [name, sha256]))
  const names = new Set(sources.map(({ name }) => name))
  return {
    changed: sources.filter((source) => applied.get(source.name) !== hashOf(source)),
    gone: [...applied.keys()].filter((name) => !names.has(name)),
  }
}

async function apply(client: pg.Client, { name, text }: Source): Promise<void> {
  await client.query(text).catch((error: unknown) => {
    if (error instanceof pg.DatabaseError && error.code === INVALID_FUNCTION_DEFINITION)
      throw incompatible(name)
    throw new Error(`drizzle/${name}.sql: ${messageOf(error)}`, { cause: error })
  })
}

/** Other types of parameters create a second function with the same name. */
async function requireOne(client: pg.Client, { name }: Source): Promise<void> {
  const { rows } = await client.query(
    `SELECT FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname = $1`,
    [functionOf(name)],
  )
  if (rows.length === 0) throw new Error(`drizzle/${name}.sql: must define the function ${functionOf(name)}`)
  if (rows.length > 1) throw incompatible(name)
}

function readSource(file: string): Source {
  return { name: file.slice(0, -'.sql'.length), text: readFileSync(join(FOLDER, file), 'utf8') }
}

function isFunction({ name }: Source): boolean {
  return name.startsWith('functions/')
}

function functionOf(name: string): string {
  return name.slice('functions/'.length)
}

function incompatible(name: string): Error {
  return new Error(
    `drizzle/${name}.sql: its parameters or its result have changed; an incompatible change needs a new name`,
  )
}

function hashOf({ text }: Source): string {
  return createHash('sha256').update(text).digest('hex')
}
