import { sql } from 'drizzle-orm'
import type { FoundAgent } from '../agents/store.ts'
import type { Db } from '../db/client.ts'
import type { LogHead } from '../transparency/token.ts'
import { ALGORITHM_VERSION } from '../trust/score.ts'

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
): Promise<{ found: FoundAgent | null; head: LogHead | null }> {
  const { rows } = await db.execute<{ found: FoundAgent | null; head: LogHead | null }>(sql`
    select agent_card(${reg}, ${today}::date, ${ALGORITHM_VERSION}) as found,
      (select json_build_object('origin', split_part(note, chr(10), 1), 'size', size,
        'root', split_part(note, chr(10), 3)) from tlog_heads order by size desc limit 1) as head`)
  return rows[0] ?? { found: null, head: null }
}
