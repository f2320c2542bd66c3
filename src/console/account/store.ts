import { desc, eq } from 'drizzle-orm'
import { isLive } from '../../auth/store.ts'
import type { Db } from '../../db/client.ts'
import { kyc_checks, operators, sessions } from '../../db/schema.ts'
import { OPERATOR_COLUMNS } from '../../operators/store.ts'

/** An operator with its newest identity check and its active sessions: one round trip. */
export async function readAccount(db: Db, operatorId: string, now: Date) {
  const { id, name, created_at, expires_at, user_agent } = sessions
  const [[operator], [check], live] = await db.batch([
    db.select(OPERATOR_COLUMNS).from(operators).where(eq(operators.id, operatorId)),
    db
      .select({ status: kyc_checks.status, reason: kyc_checks.reason })
      .from(kyc_checks)
      .where(eq(kyc_checks.operator_id, operatorId))
      .orderBy(desc(kyc_checks.created_at), desc(kyc_checks.id))
      .limit(1),
    db
      .select({ id, name, created_at, expires_at, user_agent })
      .from(sessions)
      .where(isLive(operatorId, now))
      .orderBy(desc(created_at), desc(id)),
  ])
  if (!operator) throw new Error('the operator of an active session does not exist')
  return { operator, check, sessions: live }
}

export type Account = Awaited<ReturnType<typeof readAccount>>
