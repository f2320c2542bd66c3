import pg from 'pg'
import { expect, vi } from 'vitest'
import type { Harness } from './harness.ts'
import { SOON } from './patience.ts'

/** Runs a statement as the owner of the database, and keeps its transaction and locks until `commit`. */
export async function holdOpen(h: Pick<Harness, 'database_url' | 'sql'>, text: string, values: unknown[]) {
  const client = new pg.Client({ connectionString: h.database_url })
  await client.connect()
  const {
    rows: [{ pid }],
  } = await client.query('select pg_backend_pid() as pid')
  await client.query('begin')
  const { rowCount } = await client.query(text, values)
  if (!rowCount) {
    await client.end()
    throw new Error('the held statement has written nothing')
  }

  /** Waits until another connection waits for these locks. */
  const isWaitedFor = () =>
    vi.waitFor(async () => {
      const waiting = 'select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))'
      expect(await h.sql(waiting, [pid])).not.toEqual([])
    }, SOON)

  const commit = async () => {
    await client.query('commit')
    await client.end()
  }
  return { isWaitedFor, commit }
}
