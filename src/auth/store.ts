import { and, desc, eq, gt, isNull, ne, sql } from 'drizzle-orm'
import { audited } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { operators, sessions } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'
import { mondayOf } from '../notifications/week.ts'
import { OPERATOR_COLUMNS } from '../operators/store.ts'

export interface SignIn {
  operator: Pick<
    typeof operators.$inferSelect,
    'id' | 'issuer' | 'subject' | 'email' | 'name' | 'agent_limit' | 'notification_prefs'
  >
  session: Omit<typeof sessions.$inferSelect, 'operator_id' | 'created_at' | 'ended_at'>
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
          ${timestamptz(now)}, ${timestamptz(session.expires_at)}
        from operators
        where issuer = ${operator.issuer} and subject = ${operator.subject} and status = 'active'
        returning id, operator_id
      ), ${audited(sql`select operator_id, id as target from opened`, 'session.started', now)}
      select from opened`),
  ])
  const row = rows[0]
  if (!row) throw new Error('sign-in returned no operator')
  return row
}

/** A session of an operator that has neither ended nor expired. */
const isLive = (operatorId: string, now: Date) =>
  and(
    eq(sessions.operator_id, operatorId),
    isNull(sessions.ended_at),
    gt(sessions.expires_at, now.toISOString()),
  )

/** The live sessions of an operator, newest first. */
export async function listSessions(db: Db, operatorId: string, now: Date) {
  const { id, created_at, expires_at } = sessions
  return db
    .select({ id, created_at, expires_at })
    .from(sessions)
    .where(isLive(operatorId, now))
    .orderBy(desc(created_at), desc(id))
}

/**
 * Ends a session of this operator, with its audit row; ending what is over changes nothing.
 *
 * @returns false when the operator has no such session, not even one that is over
 */
export async function endSession(db: Db, operatorId: string, sessionId: string, now: Date): Promise<boolean> {
  const { id, operator_id } = sessions
  const ended = db
    .update(sessions)
    .set({ ended_at: now.toISOString() })
    .where(and(eq(id, sessionId), isLive(operatorId, now)))
    .returning({ id, operator_id })
  const { rows } = await db.execute(sql`
    with ended as ${ended}, ${audited(sql`select operator_id, id as target from ended`, 'session.ended', now)}
    select from sessions where id = ${sessionId} and operator_id = ${operatorId}::uuid`)
  return rows.length > 0
}

/**
 * Ends every live session of this operator but `kept`, each with its audit row: one statement.
 *
 * @param kept id of the session that goes on; null for none
 */
export async function endSessions(db: Db, operatorId: string, kept: string | null, now: Date): Promise<void> {
  const { id, operator_id } = sessions
  const ended = db
    .update(sessions)
    .set({ ended_at: now.toISOString() })
    .where(and(isLive(operatorId, now), kept === null ? undefined : ne(id, kept)))
    .returning({ id, operator_id })
  await db.execute(sql`
    with ended as ${ended}, ${audited(sql`select operator_id, id as target from ended`, 'session.ended', now)}
    select from ended`)
}
