import type pg from 'pg'

/** The size of a table, in bytes. */
export interface TableSize {
  rows: number
  /** Including values that are stored out of line. */
  heap: number
  indexes: number
}

/** The sizes of the tables that grow with agents and events, by name. */
export async function sizesOf(client: pg.Client): Promise<Record<string, TableSize>> {
  const sizes: Record<string, TableSize> = {}
  for (const table of TABLES) {
    const { rows } = await client.query<Record<keyof TableSize, string>>(
      `select (select count(*) from ${table}) as rows, pg_table_size('${table}') as heap,
         pg_indexes_size('${table}') as indexes`,
    )
    const [size] = rows
    if (size)
      sizes[table] = { rows: Number(size.rows), heap: Number(size.heap), indexes: Number(size.indexes) }
  }
  return sizes
}

const TABLES = [
  'agents',
  'agent_stats',
  'agent_evidence',
  'trust_scores',
  'activity_events',
  'tlog_ranges',
  'tlog_facts',
  'tlog_bundles',
  'tlog_tiles',
] as const
