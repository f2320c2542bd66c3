import { and, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import { audited } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { type NotificationPrefs, operators, sessions } from '../db/schema.ts'
import { mondayOf } from '../notifications/week.ts'
import { OPERATOR_COLUMNS } from '../operators/store.ts'

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
 * with its audit row unless the operator is suspended: one atomic round trip.
 *
 * @returns the operator as the wire shows it
 */
export async function signIn(db: Db, { operator, session, now }: SignIn) {
  const at = now.toISOString()
  const [rows] = await db.batch([
    db
      .insert(operators)
      .values({ ...operator, digest_week: mondayOf(now), created_at: at, updated_at: at })
      .onConflictDoUpdate({
        target: [operators.issuer, operators.subject],
        set: {
          email: operator.email,
          updated_at: sql`case when ${operators.email} = excluded.email then ${operators.updated_at} else excluded.updated_at end`,
        },
      })
      .returning(OPERATOR_COLUMNS),
    db.execute(sql`
      with opened as (
        insert into sessions (id, operator_id, salt, secret_hash, ip, user_agent, created_at, expires_at)
        select ${session.id}, id, ${session.salt}, ${session.secret_hash}, ${session.ip}, ${session.user_agent},
          ${at}::timestamptz, ${session.expires_at}::timestamptz
        from operators
        where issuer = ${operator.issuer} and subject = ${operator.subject} and status = 'active'
        returning id as target, operator_id
      ), ${audited(sql`opened`, 'session.started', sql`operator_id`, now)}
      select from opened`),
  ])
  const row = rows[0]
  if (!row) throw new Error('sign-in returned no operator')
  return row
}

/** The sessions of an operator that have neither ended nor expired, newest first. */
export async function listSessions(db: Db, operatorId: string, now: Date) {
  return db
    .select({ id: sessions.id, created_at: sessions.created_at, expires_at: sessions.expires_at })
    .from(sessions)
    .where(
      and(
        eq(sessions.operator_id, operatorId),
        isNull(sessions.ended_at),
        gt(sessions.expires_at, now.toISOString()),
      ),
    )
    .orderBy(desc(sessions.created_at), desc(sessions.id))
}

/**
 * Ends a session of this operator, with its audit row; ending what is over changes nothing.
 *
 * @returns false when the operator has no such session, not even one that is over
 */
export async function endSession(db: Db, operatorId: string, sessionId: string, now: Date): Promise<boolean> {
  const at = sql`${now.toISOString()}::timestamptz`
  const result = await db.execute(sql`
    with ended as (
      update sessions set ended_at = ${at}
      where id = ${sessionId} and operator_id = ${operatorId}::uuid and ended_at is null and expires_at > ${at}
      returning id as target
    ), ${audited(sql`ended`, 'session.ended', operatorId, now)}
    select from sessions where id = ${sessionId} and operator_id = ${operatorId}::uuid`)
  return result.rows.length > 0
}
