import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { timestamptz } from '../db/sql.ts'

/**
 * Remembers that addresses take no mail of ours: their operators are mailed no more until they ask for it.
 *
 * @returns how many operators have just become so
 */
export async function rejectAddresses(db: Db, addresses: readonly string[], now: Date): Promise<number> {
  const result = await db.execute(sql`
    update operators set mail_refused_at = ${timestamptz(now)}
    where email = any (${sql.param([...addresses])}::text[]) and mail_refused_at is null`)
  return result.rowCount
}
