import { and, desc, eq, lt, lte, ne, not, or, sql } from 'drizzle-orm'
import { audit } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { kyc_checks, operators, sessions } from '../db/schema.ts'
import { isFound, only, transaction } from '../db/transaction.ts'
import { uuidv7 } from '../lib/ids.ts'
import { utcDay } from '../lib/time.ts'
import { SETTLED_OPERATOR } from './settle-store.ts'
import { CHECKS_PER_DAY, renewableUntil } from './terms.ts'

const HISTORY_MAX = 100

/** The KYC state of an operator; `check` is the pending one, else the newest. */
export type KycState = NonNullable<Awaited<ReturnType<typeof findKyc>>>

/** The KYC state of a session's operator; null if there is no such session. */
export async function findKyc(db: Db, sessionId: string, now: Date) {
  const latest = db
    .select()
    .from(kyc_checks)
    .where(eq(kyc_checks.operator_id, operators.id))
    .orderBy(desc(eq(kyc_checks.status, 'pending')), desc(kyc_checks.created_at), desc(kyc_checks.id))
    .limit(1)
    .as('latest')
  const [kyc] = await db
    .select({
      ...SETTLED_OPERATOR,
      kyc_expires_at: operators.kyc_expires_at,
      opened_today: openedToday(now),
      check: latest._.selectedFields,
    })
    .from(sessions)
    .innerJoin(operators, eq(operators.id, sessions.operator_id))
    .leftJoinLateral(latest, sql`true`)
    .where(eq(sessions.id, sessionId))
  return kyc ?? null
}

/** The number of checks that the operator opened on this UTC day. */
function openedToday(now: Date) {
  const { kyc_day, kyc_opened } = operators
  return sql<number>`of_today(${kyc_day}, ${utcDay(now)}::date, ${kyc_opened})::integer`
}

/** The KYC status of an operator, and its checks, newest first. */
export async function listChecks(db: Db, operatorId: string) {
  const { kyc_status, kyc_verified_at, kyc_expires_at } = operators
  const { id, status, provider, created_at, completed_at, reason } = kyc_checks
  const [operator, history] = await db.batch([
    db
      .select({ kyc_status, kyc_verified_at, kyc_expires_at })
      .from(operators)
      .where(eq(operators.id, operatorId)),
    db
      .select({ id, status, provider, created_at, completed_at, reason })
      .from(kyc_checks)
      .where(eq(kyc_checks.operator_id, operatorId))
      .orderBy(desc(created_at), desc(id))
      .limit(HISTORY_MAX),
  ])
  return { ...only(operator), history }
}

/**
 * Opens a check, with its audit row, unless one is pending, the maximum per day is reached, or the current verification
 * cannot be renewed yet; one of several concurrent calls succeeds. An operator remains verified while it renews.
 *
 * @returns the operator's state afterward, and the provider's session of the pending check, whichever call opened it
 */
export async function openCheck(db: Db, operator_id: string, session_id: string, now: Date) {
  const [id, at] = [uuidv7(now), now.toISOString()]
  const isThis = eq(operators.id, operator_id)
  const mayOpen = and(
    isThis,
    lt(openedToday(now), CHECKS_PER_DAY),
    or(
      ne(operators.kyc_status, 'verified'),
      lte(operators.kyc_expires_at, renewableUntil(now).toISOString()),
    ),
  )
  const isPending = and(eq(kyc_checks.operator_id, operator_id), eq(kyc_checks.status, 'pending'))
  const isShared = eq(kyc_checks.provider_session_id, session_id) // by a concurrent call, whose check may have ended
  const state = () =>
    db
      .select({
        kyc_status: operators.kyc_status,
        session_id: kyc_checks.provider_session_id,
        opened_today: openedToday(now),
      })
      .from(operators)
      .leftJoin(kyc_checks, and(eq(kyc_checks.operator_id, operators.id), eq(kyc_checks.status, 'pending')))
      .where(isThis)
  const write = transaction<'CLOSED'>(db)
  write.lock(operators, isThis)
  write.require(
    and(isFound(db, operators, mayOpen), not(isFound(db, kyc_checks, or(isPending, isShared)))),
    'CLOSED',
  )
  const previous = sql`(${db.select({ status: operators.kyc_status }).from(operators).where(isThis)})`
  write.add(
    db.insert(kyc_checks).values({
      id,
      operator_id,
      provider: 'stripe',
      provider_session_id: session_id,
      status: 'pending',
      previous_status: previous,
      created_at: at,
    }),
  )
  write.add(
    db
      .update(operators)
      .set({
        kyc_status: sql`case ${operators.kyc_status} when 'verified' then ${operators.kyc_status} else 'pending' end`,
        kyc_day: sql`greatest(${operators.kyc_day}, ${utcDay(now)}::date)`,
        kyc_opened: sql`${openedToday(now)} + 1`,
        updated_at: at,
      })
      .where(isThis),
  )
  write.add(audit(db, [{ operator_id, action: 'kyc.started', target: id }], now))
  const opened = write.add(state())
  return only((await write.run()) ? await state() : opened)
}

/** Counts a session of the provider that no check uses, unless a concurrent call has counted one. */
export async function countUnused(
  db: Db,
  operatorId: string,
  openedBefore: number,
  now: Date,
): Promise<void> {
  const day = utcDay(now)
  await db
    .update(operators)
    .set({ kyc_day: sql`greatest(${operators.kyc_day}, ${day}::date)`, kyc_opened: openedBefore + 1 })
    .where(and(eq(operators.id, operatorId), eq(openedToday(now), openedBefore)))
}
