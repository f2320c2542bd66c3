import { type SQL, sql } from 'drizzle-orm'

/** A `timestamptz` as the wire shows it, for answers that are put together in SQL: ISO 8601 with `Z`. */
export function wireTime(column: SQL): SQL {
  return sql`wire_time(${column})`
}
