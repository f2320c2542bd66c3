import { sql } from 'drizzle-orm'
import type { FoundAgent } from '../agents/store.ts'
import type { Db } from '../db/client.ts'
import type { LogHead } from '../transparency/token.ts'
import { ALGORITHM_VERSION } from '../trust/score.ts'

/** What the quick verification shows, with what the score is made of: what the function agent_verification gives. */
export type VerifiedAgent = Pick<
  FoundAgent,
  | 'reg'
  | 'name'
  | 'class'
  | 'status'
  | 'ownership_status'
  | 'domain'
  | 'operator_id'
  | 'operator_name'
  | 'operator_name_verified'
  | 'operator_status'
  | 'operator_kyc_status'
  | 'basis'
>

/**
 * Finds what the quick verification shows of an agent; null when there is none.
 *
 * @param reg its number
 * @param today the UTC day `YYYY-MM-DD` of the question
 */
export async function findVerified(db: Db, reg: string, today: string): Promise<VerifiedAgent | null> {
  const { rows } = await db.execute<{ found: VerifiedAgent | null }>(
    sql`select ${verified(reg, today)} as found`,
  )
  return rows[0]?.found ?? null
}

/**
 * What a token states: an agent by its number, and the newest signed head of the log.
 *
 * @param today the UTC day `YYYY-MM-DD` of the question
 * @returns null for either that there is not
 */
export async function findStated(
  db: Db,
  reg: string,
  today: string,
): Promise<{ found: VerifiedAgent | null; head: LogHead | null }> {
  const { rows } = await db.execute<{ found: VerifiedAgent | null; head: LogHead | null }>(sql`
    select ${verified(reg, today)} as found,
      (select json_build_object('origin', split_part(note, chr(10), 1), 'size', size,
        'root', split_part(note, chr(10), 3)) from tlog_heads order by size desc limit 1) as head`)
  return rows[0] ?? { found: null, head: null }
}

const verified = (reg: string, today: string) =>
  sql`agent_verification(${reg}, ${today}::date, ${ALGORITHM_VERSION})`
