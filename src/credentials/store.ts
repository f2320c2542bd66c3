import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { type api_keys, operators, sessions } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'

/** The active session with this id and the relevant columns of its operator; null if ended, expired, or unknown. */
export async function findSession(db: Db, id: string, now: Date) {
  const rows = await db
    .select({
      session_id: sessions.id,
      operator_id: sessions.operator_id,
      operator_status: operators.status,
      tier: operators.tier,
      salt: sessions.salt,
      secret_hash: sessions.secret_hash,
    })
    .from(sessions)
    .innerJoin(operators, eq(operators.id, sessions.operator_id))
    .where(and(eq(sessions.id, id), isNull(sessions.ended_at), gt(sessions.expires_at, now.toISOString())))
  return rows[0] ?? null
}

type Operator = typeof operators.$inferSelect

/** An active key and the relevant columns of its operator. */
export type FoundKey = Pick<
  typeof api_keys.$inferSelect,
  'operator_id' | 'platform_id' | 'salt' | 'secret_hash' | 'permissions' | 'rate_limit_per_minute'
> & { key_id: string; operator_status: Operator['status']; tier: Operator['tier'] }

/** The active key with this prefix; null if revoked, expired, or unknown. */
export async function findKey(db: Db, keyPrefix: string, now: Date): Promise<FoundKey | null> {
  const result = await db.execute<{ key: FoundKey | null }>(
    sql`select find_key(${keyPrefix}, ${timestamptz(now)}) as key`,
  )
  return result.rows[0]?.key ?? null
}
