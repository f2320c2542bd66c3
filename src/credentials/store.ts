import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { type api_keys, notifications, operators, sessions } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'

/** Unread notifications are counted up to this number. */
export const UNREAD_MAX = 100

const SESSION = {
  session_id: sessions.id,
  operator_id: sessions.operator_id,
  operator_status: operators.status,
  tier: operators.tier,
  salt: sessions.salt,
  secret_hash: sessions.secret_hash,
}

/** The active session with this id and the relevant columns of its operator; null if ended, expired, or unknown. */
export async function findSession(db: Db, id: string, now: Date) {
  const [session = null] = await db
    .select(SESSION)
    .from(sessions)
    .innerJoin(operators, IS_ITS_OPERATOR)
    .where(isActive(id, now))
  return session
}

/** As `findSession`, with what each page of the console shows of the operator. */
export async function findConsoleSession(db: Db, id: string, now: Date) {
  const unread = sql<number>`(select count(*)::integer from (select from ${notifications}
    where ${notifications.operator_id} = ${operators.id} and ${notifications.read_at} is null
    limit ${UNREAD_MAX}::integer) n)`
  const [session = null] = await db
    .select({ ...SESSION, account: { name: operators.name, unread } })
    .from(sessions)
    .innerJoin(operators, IS_ITS_OPERATOR)
    .where(isActive(id, now))
  return session
}

const IS_ITS_OPERATOR = eq(operators.id, sessions.operator_id)

function isActive(id: string, now: Date) {
  return and(eq(sessions.id, id), isNull(sessions.ended_at), gt(sessions.expires_at, now.toISOString()))
}

type Operator = typeof operators.$inferSelect

/** An active key and the relevant columns of its operator. */
type FoundKey = Pick<
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
