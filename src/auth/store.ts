import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { type NotificationPrefs, operators, sessions } from '../db/schema.ts'
import { OPERATOR_COLUMNS } from '../operators/store.ts'

/** The live session with this id and what must be known of its operator; null when ended, expired or unknown. */
export async function findSession(db: Db, id: string, now: Date) {
  const rows = await db
    .select({
      session_id: sessions.id,
      operator_id: sessions.operator_id,
      operator_status: operators.status,
      salt: sessions.salt,
      secret_hash: sessions.secret_hash,
    })
    .from(sessions)
    .innerJoin(operators, eq(operators.id, sessions.operator_id))
    .where(and(eq(sessions.id, id), isNull(sessions.ended_at), gt(sessions.expires_at, now.toISOString())))
  return rows[0] ?? null
}

export interface SignIn {
  operator: {
    id: string
    issuer: string
    subject: string
    email: string
    name: string
    agent_limit: number
    notification_prefs: NotificationPrefs
  }
  session: {
    id: string
    salt: string
    secret_hash: string
    ip: string
    user_agent: string
    expires_at: string
  }
  now: Date
}

/**
 * Creates the operator on the first sign-in, follows a changed e-mail address on later ones, and opens a session
 * unless the operator is suspended: one atomic round trip.
 *
 * @returns the operator as the wire shows it
 */
export async function signIn(db: Db, { operator, session, now }: SignIn) {
  const at = now.toISOString()
  const [rows] = await db.batch([
    db
      .insert(operators)
      .values({ ...operator, created_at: at, updated_at: at })
      .onConflictDoUpdate({
        target: [operators.issuer, operators.subject],
        set: {
          email: operator.email,
          updated_at: sql`case when ${operators.email} = excluded.email then ${operators.updated_at} else excluded.updated_at end`,
        },
      })
      .returning(OPERATOR_COLUMNS),
    db.execute(sql`
      insert into sessions (id, operator_id, salt, secret_hash, ip, user_agent, created_at, expires_at)
      select ${session.id}, id, ${session.salt}, ${session.secret_hash}, ${session.ip}, ${session.user_agent},
             ${at}, ${session.expires_at}
      from operators
      where issuer = ${operator.issuer} and subject = ${operator.subject} and status = 'active'`),
  ])
  const row = rows[0]
  if (!row) throw new Error('sign-in returned no operator')
  return row
}

/** Ends a session of this operator; ending it again changes nothing. */
export async function endSession(db: Db, operatorId: string, sessionId: string, now: Date): Promise<void> {
  await db
    .update(sessions)
    .set({ ended_at: now.toISOString() })
    .where(and(eq(sessions.id, sessionId), eq(sessions.operator_id, operatorId), isNull(sessions.ended_at)))
}
