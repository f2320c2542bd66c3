import { and, desc, eq, sql } from 'drizzle-orm'
import { auditRows } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { kyc_checks, operators, sessions } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'
import { utcDay } from '../lib/time.ts'
import { CHECKS_PER_DAY } from './terms.ts'

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
  const { name, kyc_status, kyc_expires_at } = operators
  const { status, reason, provider_session_id: session_id, created_at } = latest
  const [kyc] = await db
    .select({
      name,
      kyc_status,
      kyc_expires_at,
      opened_today: openedToday(now),
      check: { status, reason, session_id, created_at },
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
  const [[operator], history] = await db.batch([
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
  if (!operator) throw new Error('the operator of an active credential does not exist')
  return { ...operator, history }
}

interface NewCheck {
  id: string
  operator_id: string
  session_id: string
  /** No check is opened if the current verification is valid beyond this time. */
  unless_valid_after: Date
  now: Date
}

/**
 * Opens a check, with its audit row, unless one is pending or the maximum per day is reached: one atomic round trip, and
 * one of several concurrent calls succeeds. An operator remains verified while it renews.
 *
 * @returns the operator's state afterward, and the provider's session of the pending check, whichever call opened it
 */
export async function openCheck(db: Db, check: NewCheck) {
  const { id, operator_id, session_id, unless_valid_after, now } = check
  const at = timestamptz(now)
  const [, [after]] = await db.batch([
    db.execute(sql`
      with held as materialized (
        select id, kyc_status, ${openedToday(now)} as opened from operators
        where id = ${operator_id}::uuid and ${openedToday(now)} < ${CHECKS_PER_DAY}::smallint
          and (kyc_status <> 'verified' or kyc_expires_at <= ${timestamptz(unless_valid_after)}) for no key update
      ), opened as (
        insert into kyc_checks (id, operator_id, provider, provider_session_id, status, previous_status, created_at)
        select ${id}::uuid, id, 'stripe', ${session_id}, 'pending', kyc_status, ${at} from held
        on conflict do nothing
        returning operator_id, id
      ), moved as (
        update operators o set kyc_status = case o.kyc_status when 'verified' then o.kyc_status else 'pending' end,
          kyc_day = greatest(o.kyc_day, ${utcDay(now)}::date), kyc_opened = held.opened + 1, updated_at = ${at}
        from held where o.id = held.id and exists (select from opened)
      ), audited as (${auditRows(sql`select operator_id, id as target from opened`, 'kyc.started', now)})
      select from opened`),
    db
      .select({
        kyc_status: operators.kyc_status,
        session_id: kyc_checks.provider_session_id,
        opened_today: openedToday(now),
      })
      .from(operators)
      .leftJoin(kyc_checks, and(eq(kyc_checks.operator_id, operators.id), eq(kyc_checks.status, 'pending')))
      .where(eq(operators.id, operator_id)),
  ])
  if (!after) throw new Error('the operator of an active credential does not exist')
  return after
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
