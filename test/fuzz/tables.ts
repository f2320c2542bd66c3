import { isDeepStrictEqual } from 'node:util'
import type { Harness } from '../support/harness.ts'

const SETTLE_TRIES = 40
const SETTLE_MS = 50

/** Each table's rows and checksum. */
export type Tables = Record<string, string>

/** Counts and sums up every row of every table. */
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

/** The same once nothing changes any more: what a request leaves for after its response is done then. */
export async function settledTables(h: Pick<Harness, 'sql'>): Promise<Tables> {
  let before = await tablesOf(h)
  for (let left = SETTLE_TRIES; left > 0; left--) {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    const now = await tablesOf(h)
    if (isDeepStrictEqual(before, now)) return now
    before = now
  }
  throw new Error('the database does not come to rest')
}

/** The tables that are not as they were. */
export function changedTables(before: Tables, after: Tables): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => before[name] !== after[name])
}
