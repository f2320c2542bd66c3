import { isDeepStrictEqual } from 'node:util'
import type { Harness } from '../support/harness.ts'

const SETTLE_TRIES = 40
const SETTLE_MS = 50

/** The number of rows and checksum of each table. */
export type Tables = Record<string, string>

/** Counts the rows of every table and computes their checksum. */
export async function tablesOf(h: Pick<Harness, 'sql'>): Promise<Tables> {
  const names = await h.sql("select tablename as name from pg_tables where schemaname = 'public' order by 1")
  const sums = names.map(
    ({ name }) =>
      `select '${name}' as name, count(*) || ' rows ' || md5(string_agg(sum, '' order by sum)) as sum
       from (select md5(t::text) as sum from "${name}" t) each_row`,
  )
  const rows = await h.sql(sums.join(' union all '))
  return Object.fromEntries(rows.map(({ name, sum }) => [name, String(sum)]))
}

/** The same after changes have stopped, because requests may do work after their response. */
export async function settledTables(h: Pick<Harness, 'sql'>): Promise<Tables> {
  let before = await tablesOf(h)
  for (let left = SETTLE_TRIES; left > 0; left--) {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    const now = await tablesOf(h)
    if (isDeepStrictEqual(before, now)) return now
    before = now
  }
  throw new Error('the database keeps changing')
}

/** The names of tables that differ. */
export function changedTables(before: Tables, after: Tables): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => before[name] !== after[name])
}
