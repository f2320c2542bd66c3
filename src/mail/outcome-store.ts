import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import type { MAIL_STATUSES } from '../db/enums.ts'
import { timestamptz } from '../db/sql.ts'

/** The outcome of an attempt. */
export interface Outcome {
  status: (typeof MAIL_STATUSES)[number]
  error: string | null
  /** When the next attempt is due; null if there is none. */
  due: Date | null
  /** The address that was rejected; null for none. */
  rejected: string | null
}

/**
 * Records the outcome of a claimed attempt. The same statement marks a rejected address, if it is still the operator's.
 *
 * @returns false if another call has already recorded an outcome
 */
export async function recordOutcome(
  db: Db,
  { id, attempt }: { id: string; attempt: number },
  { status, error, due, rejected }: Outcome,
  now: Date,
): Promise<boolean> {
  const at = timestamptz(now)
  const result = await db.execute(sql`
    with moved as (
      update mails set status = ${status}, error = ${error}, lease_until = null, published_at = null, publish_count = 0,
        next_attempt_at = ${due?.toISOString() ?? null}::timestamptz,
        sent_at = case ${status}::text when 'sent' then ${at} end
      where id = ${id}::uuid and status = 'pending' and attempts = ${attempt}::smallint and lease_until is not null
      returning id, operator_id
    ), remembered as (
      update operators o set mail_refused_at = ${at} from moved
      where o.id = moved.operator_id and o.email = ${rejected}::text and o.mail_refused_at is null
    )
    select from moved`)
  return result.rows.length > 0
}
