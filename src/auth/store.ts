import { and, desc, eq, gt, isNull, ne, type SQL, sql } from 'drizzle-orm'
import { audit, auditEach, auditRows } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import type { Tier } from '../db/enums.ts'
import { operators, sessions } from '../db/schema.ts'
import { jsonb, timestamptz } from '../db/sql.ts'
import { QUOTAS, quotaOf } from '../db/tiers.ts'
import { type Transaction, transaction } from '../db/transaction.ts'
import { isFirst, keepAnswer, type Repeatable } from '../idempotency/store.ts'
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
      ), audited as (${auditRows(sql`select operator_id, id as target from opened`, 'session.started', now)})
      select from opened`),
    endOldest(db, operator, session.id, now),
  ])
  const row = rows[0]
  if (!row) throw new Error('sign-in returned no operator')
  return row
}

/**
 * Opens a session of an operator, unless the operator has as many active ones as its tier allows.
 *
 * @param repeatable makes the call idempotent: repeated calls open one session
 * @returns why none was opened, or null
 */
export async function insertSession(
  db: Db,
  tier: Tier,
  session: Omit<typeof sessions.$inferSelect, 'created_at' | 'ended_at'>,
  repeatable: Repeatable,
) {
  const { operator_id, id } = session
  const { now } = repeatable
  const write = transaction<'REPEATED' | 'TOO_MANY_SESSIONS'>(db)
  const live = db.$count(sessions, isLive(operator_id, now))
  write.lock(operators, eq(operators.id, operator_id))
  write.require(isFirst(db, repeatable), 'REPEATED')
  write.require(sql`${live} < ${QUOTAS[tier].live_sessions}::integer`, 'TOO_MANY_SESSIONS')
  write.add(db.insert(sessions).values({ ...session, created_at: now.toISOString() }))
  write.add(audit(db, [{ operator_id, action: 'session.started', target: id }], now))
  write.add(keepAnswer(db, repeatable, jsonb({ id })))
  return write.run()
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
    audited as (${auditRows(sql`select operator_id, id as target from ended`, 'session.ended', now)})
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
 * Ends a session of this operator; a session that has ended or expired is left unchanged.
 *
 * @returns false if the operator has no such session, not even an ended one
 */
export async function endSession(db: Db, operatorId: string, sessionId: string, now: Date): Promise<boolean> {
  const { id, operator_id } = sessions
  const mine = and(eq(id, sessionId), eq(operator_id, operatorId))
  const write = transaction(db)
  end(db, write, and(eq(id, sessionId), isLive(operatorId, now)), now)
  const known = write.add(db.select({ id }).from(sessions).where(mine))
  await write.run()
  return known.result.length > 0
}

/**
 * Ends every active session of this operator except `kept`.
 *
 * @param kept id of the session to keep; null to end all
 */
export async function endSessions(db: Db, operatorId: string, kept: string | null, now: Date): Promise<void> {
  const write = transaction(db)
  end(db, write, and(isLive(operatorId, now), kept === null ? undefined : ne(sessions.id, kept)), now)
  await write.run()
}

/** Ends sessions, each with its audit row. */
function end(db: Db, write: Transaction<never>, where: SQL | undefined, now: Date): void {
  const { operator_id, id } = sessions
  write.lock(sessions, where)
  write.add(auditEach(db, 'session.ended', { operator_id, target: id, where }, now))
  write.add(db.update(sessions).set({ ended_at: now.toISOString() }).where(where))
}
