import pg from 'pg'
import { expect, vi } from 'vitest'
import { SOON } from './patience.ts'

/** Runs a statement as the owner of the database, and keeps its transaction and locks until `commit`. */
export async function holdOpen(h: { database_url: string }, text: string, values: unknown[]) {
  const client = new pg.Client({ connectionString: h.database_url })
  const watch = new pg.Client({ connectionString: h.database_url })
  await Promise.all([client.connect(), watch.connect()])
  const {
    rows: [{ pid }],
  } = await client.query('select pg_backend_pid() as pid')
  await client.query('begin')
  const { rowCount } = await client.query(text, values)
  if (!rowCount) throw new Error('the held statement has written nothing')

  /** Waits until another connection waits for these locks. */
  const isWaitedFor = () =>
    vi.waitFor(async () => {
      const { rowCount } = await watch.query(
        'select 1 from pg_stat_activity where $1 = any (pg_blocking_pids(pid))',
        [pid],
      )
      expect(rowCount).toBeGreaterThan(0)
    }, SOON)

  const commit = async () => {
    await client.query('commit')
    await Promise.all([client.end(), watch.end()])
  }
  return { isWaitedFor, commit }
}
