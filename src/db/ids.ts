import { type SQL, sql } from 'drizzle-orm'

/**
 * An expression that gives every row of a statement an id of its own: the UUIDv7 with its last 48 bits drawn anew.
 *
 * @param id a UUIDv7 of this moment
 */
export function eachUuid(id: string): SQL {
  return sql`overlay(${id}::text placing right(gen_random_uuid()::text, 12) from 25)::uuid`
}
