import { and, desc, eq, gt, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm'
import { allowanceOf, takeAllowance } from '../allowances/store.ts'
import { audit, auditEach } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import type { Tier } from '../db/enums.ts'
import { operators, sessions } from '../db/schema.ts'
import { jsonb, timestamptz } from '../db/sql.ts'
import { FIRST_TIER, QUOTAS, quotaOf } from '../db/tiers.ts'
import { only, type Transaction, transaction } from '../db/transaction.ts'
import { ApiError } from '../errors.ts'
import { isFirst, keepAnswer, type Repeatable } from '../idempotency/store.ts'
import { mondayOf } from '../notifications/week.ts'
import { OPERATOR_COLUMNS } from '../operators/store.ts'
import { offsetOf, type Page } from '../wire/page.ts'
import { overQuota } from '../wire/quota.ts'

interface SignIn {
  operator: Pick<
    typeof operators.$inferSelect,
    'id' | 'issuer' | 'subject' | 'email' | 'name' | 'agent_limit' | 'notification_prefs'
  >
  session: Omit<typeof sessions.$inferSelect, 'operator_id' | 'name' | 'created_at' | 'ended_at'>
  now: Date
}

/**
 * Creates the operator on the first sign-in, or updates its email address on later ones. Unless the operator is suspended,
 * opens a session, and ends the oldest ones beyond the quota.
 *
 * @returns the operator as the API shows it
 */
export async function signIn(db: Db, { operator, session, now }: SignIn) {
  const at = now.toISOString()
  const { issuer, subject, email } = operator
  const isThis = and(eq(operators.issuer, issuer), eq(operators.subject, subject))
  const isOther = ne(operators.email, sql`excluded.email`)
  const write = transaction(db)
  // Locks the row of the operator: concurrent sign-ins open their sessions one after the other.
  const signedIn = write.add(
    db
      .insert(operators)
      .values({ ...operator, digest_week: mondayOf(now), created_at: at, updated_at: at })
      .onConflictDoUpdate({
        target: [operators.issuer, operators.subject],
        set: {
          email,
          mail_refused_at: sql`case when not ${isOther} then ${operators.mail_refused_at} end`,
          updated_at: sql`case when ${isOther} then excluded.updated_at else ${operators.updated_at} end`,
        },
      })
      .returning(OPERATOR_COLUMNS),
  )
  const opened = db
    .select({
      id: sql`${session.id}`.as('id'),
      operator_id: operators.id,
      salt: sql`${session.salt}`.as('salt'),
      secret_hash: sql`${session.secret_hash}`.as('secret_hash'),
      ip: sql`${session.ip}`.as('ip'),
      user_agent: sql`${session.user_agent}`.as('user_agent'),
      name: sql`null`.as('name'),
      created_at: timestamptz(now).as('created_at'),
      expires_at: timestamptz(session.expires_at).as('expires_at'),
      ended_at: sql`null`.as('ended_at'),
    })
    .from(operators)
    .where(and(isThis, eq(operators.status, 'active')))
  const id = sql`(${db.select({ id: operators.id }).from(operators).where(isThis)})`
  const { taken, error } = allowanceOf(id, FIRST_TIER, 'sign_ins', now)
  write.requireAfter(taken, error)
  write.add(db.insert(sessions).select(opened))
  write.add(
    auditEach(db, 'session.started', sessions, { ...AUDITED, where: eq(sessions.id, session.id) }, now),
  )
  const quota = db
    .select({ quota: quotaOf(operators.tier, 'live_sessions') })
    .from(operators)
    .where(isThis)
  const newest = db
    .select({ id: sessions.id })
    .from(sessions)
    .where(isLive(id, now))
    // The new session is the first to be kept, also if a clock has gone back.
    .orderBy(desc(eq(sessions.id, session.id)), desc(sessions.created_at), desc(sessions.id))
  end(db, write, inArray(sessions.id, sql`(${newest.getSQL()} offset ${quota})`), now)
  await write.run()
  return only(signedIn)
}

/**
 * Opens a session of an operator, unless the operator has as many active ones as its tier allows.
 *
 * @param repeatable makes the call idempotent: repeated calls open one session
 * @returns whether it is a repeated call
 * @throws ApiError CONFLICT at the quota
 */
export async function insertSession(
  db: Db,
  tier: Tier,
  session: Omit<typeof sessions.$inferSelect, 'created_at' | 'ended_at'>,
  repeatable: Repeatable,
) {
  const { operator_id, id } = session
  const { now } = repeatable
  const write = transaction<'REPEATED'>(db)
  const quota = QUOTAS[tier].live_sessions
  const live = db.$count(sessions, isLive(operator_id, now))
  write.require(isFirst(db, repeatable), 'REPEATED')
  const tooMany = new ApiError('CONFLICT', overQuota('live_sessions', quota, 'active sessions', 'revoke one'))
  write.require(sql`${live} < ${quota}::integer`, tooMany)
  takeAllowance(write, { operator_id, tier }, 'changes', now)
  write.add(db.insert(sessions).values({ ...session, created_at: now.toISOString() }))
  write.add(audit(db, [{ operator_id, action: 'session.started', target: id }], now))
  write.add(keepAnswer(db, repeatable, jsonb({ id })))
  return write.run()
}

/** A session of an operator that has neither ended nor expired. */
export const isLive = (operatorId: string | SQL, now: Date) =>
  and(
    eq(sessions.operator_id, operatorId),
    isNull(sessions.ended_at),
    gt(sessions.expires_at, now.toISOString()),
  )

/** A page of an operator's active sessions, newest first, and their total number. */
export async function listSessions(db: Db, operatorId: string, page: Page, now: Date) {
  const { id, name, created_at, expires_at } = sessions
  const live = isLive(operatorId, now)
  const [data, counted] = await db.batch([
    db
      .select({ id, name, created_at, expires_at })
      .from(sessions)
      .where(live)
      .orderBy(desc(created_at), desc(id))
      .limit(page.per_page)
      .offset(offsetOf(page)),
    db.select({ total: sql<number>`count(*)::integer` }).from(sessions).where(live),
  ])
  return { data, total: only(counted).total }
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
  write.lock(operators, eq(operators.id, operatorId))
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
  write.lock(operators, eq(operators.id, operatorId))
  end(db, write, and(isLive(operatorId, now), kept === null ? undefined : ne(sessions.id, kept)), now)
  await write.run()
}

const AUDITED = { operator_id: sessions.operator_id, target: sessions.id }

/** Ends sessions of an operator whose row is locked, each with its audit row. */
function end(db: Db, write: Transaction<never>, where: SQL | undefined, now: Date): void {
  write.add(auditEach(db, 'session.ended', sessions, { ...AUDITED, where }, now))
  write.add(db.update(sessions).set({ ended_at: now.toISOString() }).where(where))
}
