import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { z } from 'zod'
import { inTransaction, withDatabase } from '../support/database.ts'

/** The flag of commands that can show their effect without making it. */
export const DRY_RUN = { 'dry-run': { type: 'boolean', default: false } } as const

/** Connects to a database, and runs work in one transaction. */
export function transact<T>(
  databaseUrl: string,
  work: (db: NodePgDatabase) => Promise<T>,
  isDry = false,
): Promise<T> {
  return withDatabase(databaseUrl, (db) => inTransaction(db, () => work(db), { isDry }))
}

/** Rejects an invalid event id with a clearer message than that of the database. */
export function requireUuid(id: string): void {
  if (!z.uuid().safeParse(id).success) throw new Error(`event id: must be a UUID, not '${id}'`)
}

/** One line per table, with its number of rows. */
export function describeCounts(counts: Record<string, number>, done: string): string[] {
  return Object.entries(counts).map(([table, count]) => `  ${table}: ${count} ${done}`)
}
