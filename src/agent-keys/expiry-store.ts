import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { agent_keys, agents } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'
import { DAY_MS } from '../lib/time.ts'
import { notifyOperators } from '../notifications/store.ts'

const NOTICE_MS = 7 * DAY_MS
const PER_RUN = 1_000

/**
 * Notifies operators of active agents once about each key that expires within a week. Keys that were registered for a shorter
 * time are left out; what does not fit into a run waits for the next.
 *
 * @returns the number of notifications
 */
export async function remindOfExpiry(db: Db, now: Date): Promise<number> {
  const at = timestamptz(now)
  const soon = timestamptz(new Date(now.getTime() + NOTICE_MS))
  const notice = sql`${NOTICE_MS / 1000}::integer * interval '1 second'`
  const result = await db.execute<{ reminded: number }>(sql`
    with due as (
      select kid from ${agent_keys}
      where revoked_at is null and reminded_at is null and expires_at > ${at} and expires_at <= ${soon}
      order by expires_at limit ${PER_RUN}::integer
    ), marked as (
      update ${agent_keys} k set reminded_at = ${at} from due, ${agents} a
      where k.kid = due.kid and a.id = k.agent_id and k.revoked_at is null and k.reminded_at is null
      returning a.operator_id, k.reg, a.status = 'active' and k.expires_at > k.added_at + ${notice} as is_sent,
        format('Key of %s expires on %s', a.name, to_char(k.expires_at at time zone 'utc', 'YYYY-MM-DD')) as title,
        format('Requests signed with %s are not from %s after that. Register another key before then.', k.kid, a.name) as body
    )
    select ${notifyOperators('agent_key', sql`select operator_id, title, body, reg from marked where is_sent`, now)} as reminded`)
  return result.rows[0]?.reminded ?? 0
}
