import { sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { jsonb, timestamptz } from '../../db/sql.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { utcDay } from '../../lib/time.ts'
import type { Publication } from '../outbox/store.ts'
import type { Claim } from './claim-store.ts'
import { DISABLE_AFTER } from './limits.ts'
import { judge, type Outcome } from './verdict.ts'

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
  { delivery_id, attempt: number }: Pick<Publication, 'delivery_id' | 'attempt'>,
  { webhook_url, counted }: Pick<Claim, 'webhook_url' | 'counted'>,
  started: Date,
  outcome: Outcome,
  now: Date,
): Promise<Date | null> {
  const { status, due, platform: counts } = judge(outcome, number, started)
  const counted_on = counted ? utcDay(started) : null
  const attempt = { delivery_id, number, ...outcome, status, due, webhook_url, counts, counted_on }
  const { rows } = await db.execute<{ recorded: boolean }>(sql`
    select record_outcome(${jsonb(attempt)}, ${jsonb(DISABLE_AFTER)}, ${uuidv7(now)}::uuid, ${timestamptz(now)}) as recorded`)
  return rows[0]?.recorded ? due : null
}
