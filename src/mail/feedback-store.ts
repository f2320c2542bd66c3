import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { timestamptz } from '../db/sql.ts'

/**
 * Marks addresses as rejected: their operators get no mail until they resume it.
 *
 * @returns the number of operators that were newly marked
 */
export async function rejectAddresses(db: Db, addresses: readonly string[], now: Date): Promise<number> {
  const result = await db.execute(sql`
    update operators set mail_refused_at = ${timestamptz(now)}
    where email = any (${sql.param([...addresses])}::text[]) and mail_refused_at is null`)
  return result.rowCount
}
