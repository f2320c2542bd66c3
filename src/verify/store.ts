import { type SQL, sql } from 'drizzle-orm'
import type * as z from 'zod'
import type { FoundAgent } from '../agents/store.ts'
import type { Db } from '../db/client.ts'
import type { LogHead } from '../transparency/token.ts'
import { ALGORITHM_VERSION } from '../trust/score.ts'
import { WINDOW_DAYS } from '../trust/window.ts'
import type { verification } from './responses.ts'

/** What the quick verification shows, with the basis of the score: the result of the function agent_verification. */
export type VerifiedAgent = Pick<
  FoundAgent,
  Extract<keyof FoundAgent, keyof z.infer<typeof verification>> | 'status' | 'basis'
>

/**
 * Finds the fields of an agent for the quick verification; null if there is no such agent.
 *
 * @param reg agent number
 * @param today the current UTC day `YYYY-MM-DD`
 */
export async function findVerified(db: Db, reg: string, today: string): Promise<VerifiedAgent | null> {
  const { rows } = await db.execute<{ found: VerifiedAgent | null }>(
    sql`select ${verified(reg, today)} as found`,
  )
  return rows[0]?.found ?? null
}

/**
 * Finds what a verification token states: an agent, and the newest signed head of the log.
 *
 * @param today the current UTC day `YYYY-MM-DD`
 * @returns null for the agent or the head if there is none
 */
export async function findStated(
  db: Db,
  reg: string | SQL,
  today: string,
): Promise<{ found: VerifiedAgent | null; head: LogHead | null }> {
  const { rows } = await db.execute<{ found: VerifiedAgent | null; head: LogHead | null }>(sql`
    select ${verified(reg, today)} as found,
      (select json_build_object('origin', split_part(note, chr(10), 1), 'size', size,
        'root', split_part(note, chr(10), 3)) from tlog_heads order by size desc limit 1) as head`)
  return rows[0] ?? { found: null, head: null }
}

const verified = (reg: string | SQL, today: string) =>
  sql`agent_verification(${reg}, ${today}, ${ALGORITHM_VERSION}, ${WINDOW_DAYS})`
