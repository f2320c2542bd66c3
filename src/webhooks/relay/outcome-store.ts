import { sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { jsonb, timestamptz } from '../../db/sql.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { utcDay } from '../../lib/time.ts'
import { ATTEMPTS_WITHOUT_RESPONSE_MAX, DISABLE_AFTER_FAILURES, DISABLE_AFTER_HOURS } from './limits.ts'
import { judge, type Outcome } from './verdict.ts'

/** A claimed attempt whose outcome is known. */
export interface Attempt {
  delivery_id: string
  number: number
  started_at: Date
  /** The URL of this attempt: the outcome does not count if the platform's URL has changed since. */
  webhook_url: string | null
  /** Whether it counts toward the operator's daily limit of attempts to URLs that have never returned 2xx. */
  counted: boolean
}

/**
 * Records the outcome of a claimed attempt and updates its delivery: delivered, failed after the last attempt or on 410, or
 * pending until the next attempt. Also updates the platform's failures in a row, and the attempts of a URL that has never
 * returned 2xx; if either reaches its limit, disables the webhook, notifies the operator, and writes an audit row (SQL
 * function record_outcome).
 *
 * @returns when the next attempt is due; null if there is none, or another call has already recorded an outcome
 */
export async function recordOutcome(
  db: Db,
  { delivery_id, number, started_at, webhook_url, counted }: Attempt,
  outcome: Outcome,
  now: Date,
): Promise<Date | null> {
  const { status, due, platform } = judge(outcome, number, started_at)
  const { rows } = await db.execute<{ recorded: boolean }>(sql`
    select record_outcome(${delivery_id}::uuid, ${number}::integer, ${jsonb(outcome)}, ${status},
      ${due?.toISOString() ?? null}::timestamptz, ${webhook_url}, ${platform},
      ${counted ? utcDay(started_at) : null}::date, ${ATTEMPTS_WITHOUT_RESPONSE_MAX}::integer,
      ${DISABLE_AFTER_FAILURES}::integer, ${DISABLE_AFTER_HOURS}::integer, ${uuidv7(now)}::uuid,
      ${timestamptz(now)}) as recorded`)
  return rows[0]?.recorded ? due : null
}
