import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import type { Harness } from './harness.ts'
import { createMigrated } from './migrate.ts'

/** A separate database on the server of the stack during the tests of a file, with an open client. */
export function ownDatabase(h: Harness, prefix: string) {
  const name = `${prefix}_${randomUUID().replaceAll('-', '')}`
  const url = Object.assign(new URL(h.database_url), { pathname: `/${name}` }).href
  const client = new pg.Client({ connectionString: url })
  beforeAll(async () => {
    await createMigrated(h, name)
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await h.sql(`drop database if exists ${name} with (force)`)
  })
  return { name, url, client }
}

/** The error code of a statement, or null; its effects are rolled back. */
export async function rejectionOf(client: pg.ClientBase, ...statements: string[]): Promise<string | null> {
  await client.query('begin')
  try {
    for (const statement of statements) await client.query(statement)
    return null
  } catch (error) {
    return (error as { code: string }).code
  } finally {
    await client.query('rollback')
  }
}
