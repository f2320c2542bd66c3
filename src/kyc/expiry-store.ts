import { and, eq, lte, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { operators } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'
import { notifyOperators } from '../notifications/store.ts'
import { daysAfter, REMINDER_DAYS } from './terms.ts'

/**
 * Marks verifications as expired whose time is over.
 *
 * @returns the number of operators
 */
export async function expireVerifications(db: Db, now: Date): Promise<number> {
  const { kyc_status, kyc_expires_at } = operators
  const at = now.toISOString()
  const { rowCount } = await db
    .update(operators)
    .set({ kyc_status: 'expired', updated_at: at })
    .where(and(eq(kyc_status, 'verified'), lte(kyc_expires_at, at)))
  return rowCount
}

/**
 * Reminds operators with KYC reminders of the end of their verification: once at each of the two times, and only once if
 * both have passed. The check that verified them stores which reminder was sent, so that a repeated run sends nothing.
 *
 * @returns the number of notifications
 */
export async function remindOperators(db: Db, now: Date): Promise<number> {
  const { first, last } = REMINDER_DAYS
  const before = (days: number) => timestamptz(daysAfter(now, days))
  const result = await db.execute<{ reminded: number }>(sql`
    with marked as (
      update kyc_checks k set reminded_days = due.days from (
        select k.id, to_char(o.kyc_expires_at at time zone 'utc', 'YYYY-MM-DD') as day,
          case when o.kyc_expires_at <= ${before(last)} then ${last}::smallint else ${first}::smallint end as days
        from operators o
        join kyc_checks k on k.operator_id = o.id and k.status = 'verified' and k.completed_at = o.kyc_verified_at
        where o.kyc_status = 'verified' and (o.notification_prefs ->> 'kyc_reminders')::boolean
          and o.kyc_expires_at > ${timestamptz(now)} and o.kyc_expires_at <= ${before(first)}
      ) due
      where k.id = due.id and (k.reminded_days is null or k.reminded_days > due.days)
      returning k.operator_id, null::text as reg, 'Your identity verification expires on ' || due.day as title,
        'Pass a new identity check before then, so that you remain a verified operator.' as body
    )
    select ${notifyOperators('kyc_reminder', sql`select * from marked`, now)} as reminded`)
  return result.rows[0]?.reminded ?? 0
}
