import { desc, eq, sql } from 'drizzle-orm'
import { audited } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { kyc_checks, operators } from '../db/schema.ts'

const HISTORY_MAX = 100

type KycStatus = (typeof operators.$inferSelect)['kyc_status']

/** Where an operator stands before a start. */
export interface Standing {
  kyc_status: KycStatus
  kyc_expires_at: Date | null
  /** The pending check, else the newest. */
  check: { id: string; pending: boolean; session_id: string; created_at: Date } | null
}

type StandingRow = {
  kyc_status: KycStatus
  kyc_expires_at: string | null
  id: string | null
  pending: boolean
  session_id: string
  created_at: string
}

/** Where the operator of a session stands; null when there is no such session. */
export async function findStanding(db: Db, sessionId: string): Promise<Standing | null> {
  const result = await db.execute<StandingRow>(sql`
    select o.kyc_status, o.kyc_expires_at, k.id, k.status = 'pending' as pending,
      k.provider_session_id as session_id, k.created_at
    from sessions s join operators o on o.id = s.operator_id
    left join lateral (
      select * from kyc_checks where operator_id = o.id
      order by status = 'pending' desc, created_at desc, id desc limit 1
    ) k on true
    where s.id = ${sessionId}`)
  const row = result.rows[0]
  if (!row) return null
  const { kyc_status, kyc_expires_at, id, pending, session_id, created_at } = row
  return {
    kyc_status,
    kyc_expires_at: kyc_expires_at === null ? null : new Date(kyc_expires_at),
    check: id === null ? null : { id, pending, session_id, created_at: new Date(created_at) },
  }
}

/** Status and checks of an operator, newest first. */
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
  if (!operator) throw new Error('the operator of a live credential is gone')
  return { ...operator, history }
}

interface NewCheck {
  id: string
  operator_id: string
  session_id: string
  /** No check is opened for a verification that is valid beyond this time. */
  unless_valid_after: Date
  now: Date
}

/**
 * Opens a check unless the operator has one pending, with its audit row: one atomic round trip, and of many at once
 * one succeeds. A verified operator stays so while it renews.
 *
 * @returns the operator's state after it, and the provider's session of the pending check, whoever opened it
 */
export async function openCheck(db: Db, check: NewCheck) {
  const { id, operator_id, session_id, unless_valid_after, now } = check
  const at = sql`${now.toISOString()}::timestamptz`
  const [, result] = await db.batch([
    db.execute(sql`
      with held as materialized (
        select id, kyc_status from operators where id = ${operator_id}::uuid and (kyc_status <> 'verified'
          or kyc_expires_at <= ${unless_valid_after.toISOString()}::timestamptz) for no key update
      ), opened as (
        insert into kyc_checks (id, operator_id, provider, provider_session_id, status, previous_status, created_at)
        select ${id}::uuid, id, 'stripe', ${session_id}, 'pending', kyc_status, ${at} from held
        on conflict do nothing
        returning id::text as target
      ), moved as (
        update operators set kyc_status = 'pending', updated_at = ${at}
        where id = ${operator_id}::uuid and kyc_status <> 'verified' and exists (select from opened)
      ), ${audited(sql`opened`, 'kyc.started', operator_id, now)}
      select from opened`),
    db.execute<{ kyc_status: KycStatus; session_id: string | null }>(sql`
      select o.kyc_status, k.provider_session_id as session_id
      from operators o left join kyc_checks k on k.operator_id = o.id and k.status = 'pending'
      where o.id = ${operator_id}::uuid`),
  ])
  const after = result.rows[0]
  if (!after) throw new Error('the operator of a live credential is gone')
  return after
}
