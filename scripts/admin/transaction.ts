import { sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { z } from 'zod'

/** The flag of commands that can say what they would do. */
export const DRY_RUN = { 'dry-run': { type: 'boolean', default: false } } as const

/** Does work in a transaction, and undoes it when it fails or was a dry run. */
export async function inTransaction<T>(
  db: NodePgDatabase,
  isDry: boolean,
  work: () => Promise<T>,
): Promise<T> {
  await db.execute(sql`begin`)
  try {
    const done = await work()
    await db.execute(isDry ? sql`rollback` : sql`commit`)
    return done
  } catch (error) {
    await db.execute(sql`rollback`).catch(() => undefined) // the first error tells more
    throw error
  }
}

/** Rejects what is no id of an event before the database does, in plainer words. */
export function requireUuid(id: string): void {
  if (!z.uuid().safeParse(id).success) throw new Error(`event id: must be a UUID, not '${id}'`)
}

/** A line for each table: how many of its rows. */
export function describeCounts(counts: Record<string, number>, done: string): string[] {
  return Object.entries(counts).map(([table, count]) => `  ${table}: ${count} ${done}`)
}
