import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import type { Harness } from './harness.ts'
import { separateDatabase, withClient } from './migrate.ts'

/** A separate database on the server of the stack during the tests of a file, with an open client. */
export function ownDatabase(h: Harness, prefix: string) {
  const { name, url, create, drop } = separateDatabase(h, prefix)
  const client = new pg.Client({ connectionString: url })
  beforeAll(async () => {
    await create()
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await drop()
  })
  return { name, url, client }
}

/** The tables and statistics views that contain a text, in any case. */
export async function tablesWith({ sql }: Pick<Harness, 'sql'>, text: string): Promise<string[]> {
  const tables = await sql(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'drizzle')`,
  )
  const elsewhere = ['pg_stats', 'pg_stat_activity', 'pg_stats_ext']
  const found = await Promise.all(
    [...tables.map(({ name }) => name), ...elsewhere].map(async (name) => {
      const own = name === 'pg_stat_activity' ? 'and pid <> pg_backend_pid()' : ''
      const rows = await sql(`select from ${name} t where t::text ilike $1 ${own} limit 1`, [`%${text}%`])
      return rows.length > 0 ? [name] : []
    }),
  )
  return found.flat().sort()
}

/** The error code of statements of one transaction, or null; their effects are rolled back. */
export const rejectionOf = (url: string, ...statements: string[]): Promise<string | null> =>
  withClient(url, async (client) => {
    await client.query('begin')
    try {
      for (const statement of statements) await client.query(statement)
      return null
    } catch (error) {
      return (error as { code: string }).code
    } finally {
      await client.query('rollback')
    }
  })
