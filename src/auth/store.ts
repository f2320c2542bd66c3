import { and, desc, eq, gt, isNull, ne, sql } from 'drizzle-orm'
import { audited } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { operators, sessions } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'
import { holdOperator, quotaOf } from '../db/tiers.ts'
import { once, type Repeatable } from '../idempotency/store.ts'
import { mondayOf } from '../notifications/week.ts'
import { OPERATOR_COLUMNS } from '../operators/store.ts'
import { offsetOf, type Page } from '../wire/page.ts'

export interface SignIn {
  operator: Pick<
    typeof operators.$inferSelect,
    'id' | 'issuer' | 'subject' | 'email' | 'name' | 'agent_limit' | 'notification_prefs'
  >
  session: Omit<typeof sessions.$inferSelect, 'operator_id' | 'name' | 'created_at' | 'ended_at'>
  now: Date
}

/**
 * Creates the operator on the first sign-in, or updates its email address on later ones. Unless the operator is suspended,
 * opens a session with its audit row, and ends the oldest ones beyond the quota. One atomic round trip.
 *
 * @returns the operator as the API shows it
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
          mail_refused_at: sql`case when ${operators.email} = excluded.email then ${operators.mail_refused_at} end`,
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
    endOldest(db, operator, session.id, now),
  ])
  const row = rows[0]
  if (!row) throw new Error('sign-in returned no operator')
  return row
}

/**
 * Opens a session of an operator, with its audit row, unless the operator has as many active ones as its tier allows: one
 * atomic round trip.
 *
 * @param repeatable makes the call idempotent: repeated calls open one session
 * @returns `quota` is the number of active sessions that the tier allows
 */
export async function insertSession(
  db: Db,
  session: Omit<typeof sessions.$inferSelect, 'created_at' | 'ended_at'>,
  repeatable: Repeatable,
): Promise<{ outcome: 'opened' | 'repeated' } | { outcome: 'too_many'; quota: number }> {
  const operatorId = session.operator_id
  const now = timestamptz(repeatable.now)
  const response = () => sql`select jsonb_build_object('id', id) as answer from opened`
  const { first, unseen, keep, prior } = once(repeatable, response)
  const [, result] = await db.batch([
    holdOperator(db, operatorId),
    db.execute<{ opened: boolean; repeated: boolean; quota: number }>(sql`
      with ${first}held as (
        select ${quotaOf(sql`tier`, 'live_sessions')}::integer as quota, (
          select count(*) from sessions where operator_id = ${operatorId}::uuid and ended_at is null
            and expires_at > ${now}) as live
        from operators where id = ${operatorId}::uuid
      ), opened as (
        insert into sessions (id, operator_id, salt, secret_hash, ip, user_agent, name, created_at, expires_at)
        select ${session.id}, ${operatorId}::uuid, ${session.salt}, ${session.secret_hash}, ${session.ip},
          ${session.user_agent}, ${session.name}, ${now}, ${timestamptz(session.expires_at)}
        from held where ${unseen} and live < quota
        returning operator_id, id
      ), ${audited(sql`select operator_id, id as target from opened`, 'session.started', repeatable.now)}${keep}
      select exists (select from opened) as opened, ${prior} is not null as repeated, quota from held`),
  ])
  const [row] = result.rows
  if (!row) throw new Error('the operator of an active session does not exist')
  if (row.opened || row.repeated) return { outcome: row.opened ? 'opened' : 'repeated' }
  return { outcome: 'too_many', quota: row.quota }
}

/**
 * Ends an operator's oldest sessions beyond the quota of its tier, with audit rows, but never the one just opened. The
 * first statement of the batch has locked the operator's row: no other sign-in opens a session at the same time.
 */
function endOldest(
  db: Db,
  { issuer, subject }: Pick<SignIn['operator'], 'issuer' | 'subject'>,
  openedId: string,
  now: Date,
) {
  const ended = sql`
      update sessions set ended_at = ${timestamptz(now)}
      where id in (
        select s.id from operators o join sessions s on s.operator_id = o.id
        where o.issuer = ${issuer} and o.subject = ${subject} and s.id <> ${openedId}
          and s.ended_at is null and s.expires_at > ${timestamptz(now)}
        order by s.created_at desc, s.id desc
        offset (select ${quotaOf(sql`tier`, 'live_sessions')} - 1 from operators
          where issuer = ${issuer} and subject = ${subject})
      ) returning operator_id, id`
  return db.execute(sql`
    with ended as (${ended}),
    ${audited(sql`select operator_id, id as target from ended`, 'session.ended', now)}
    select from ended`)
}

/** A session of an operator that has neither ended nor expired. */
const isLive = (operatorId: string, now: Date) =>
  and(
    eq(sessions.operator_id, operatorId),
    isNull(sessions.ended_at),
    gt(sessions.expires_at, now.toISOString()),
  )

/** A page of an operator's active sessions, newest first, and their total number. */
export async function listSessions(db: Db, operatorId: string, page: Page, now: Date) {
  const { id, name, created_at, expires_at } = sessions
  const live = isLive(operatorId, now)
  const [data, [counted]] = await db.batch([
    db
      .select({ id, name, created_at, expires_at })
      .from(sessions)
      .where(live)
      .orderBy(desc(created_at), desc(id))
      .limit(page.per_page)
      .offset(offsetOf(page)),
    db.select({ total: sql<number>`count(*)::integer` }).from(sessions).where(live),
  ])
  return { data, total: counted?.total ?? 0 }
}

/**
 * Ends a session of this operator, with its audit row; a session that has ended or expired is left unchanged.
 *
 * @returns false if the operator has no such session, not even an ended one
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
 * Ends every active session of this operator except `kept`, each with its audit row: one statement.
 *
 * @param kept id of the session to keep; null to end all
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
