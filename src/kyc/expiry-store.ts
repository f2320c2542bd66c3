import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { notified } from '../notifications/store.ts'
import { daysAfter, REMINDER_DAYS } from './terms.ts'

/**
 * Ends the verifications whose time is over.
 *
 * @returns how many
 */
export async function expireVerifications(db: Db, now: Date): Promise<number> {
  const result = await db.execute(sql`
    update operators set kyc_status = 'expired', updated_at = ${now.toISOString()}::timestamptz
    where kyc_status = 'verified' and kyc_expires_at <= ${now.toISOString()}::timestamptz
    returning id`)
  return result.rows.length
}

/**
 * Reminds operators who want it of the end of their verification: once at each of the two times, and once only when
 * both have passed. What was sent stands on the check that verified them, so that a repeat sends nothing.
 *
 * @returns how many notifications were written
 */
export async function remindOperators(db: Db, now: Date): Promise<number> {
  const { first, last } = REMINDER_DAYS
  const before = (days: number) => sql`${daysAfter(now, days).toISOString()}::timestamptz`
  const result = await db.execute(sql`
    with due as (
      select k.id, to_char(o.kyc_expires_at at time zone 'utc', 'YYYY-MM-DD') as day,
        case when o.kyc_expires_at <= ${before(last)} then ${last}::smallint else ${first}::smallint end as days
      from operators o
      join kyc_checks k on k.operator_id = o.id and k.status = 'verified' and k.completed_at = o.kyc_verified_at
      where o.kyc_status = 'verified' and (o.notification_prefs ->> 'kyc_reminders')::boolean
        and o.kyc_expires_at > ${now.toISOString()}::timestamptz and o.kyc_expires_at <= ${before(first)}
    ), marked as (
      update kyc_checks k set reminded_days = due.days from due
      where k.id = due.id and (k.reminded_days is null or k.reminded_days > due.days)
      returning k.operator_id, null::text as reg, 'Your identity verification ends on ' || due.day as title,
        'Start a new check before then, and your agents stay those of a verified operator.' as body
    ), ${notified(sql`marked`, 'kyc_reminder', now)}
    select from marked`)
  return result.rows.length
}
