import { type SQL, sql } from 'drizzle-orm'
import { timestamptz } from '../db/sql.ts'

/**
 * The common table expression `mailed`, which queues mails of notifications as far as their operators want them and the
 * quotas allow (the function mail_allowed).
 *
 * The rows are in one order, in which the function locks their operators: none waits for another that waits for it.
 *
 * @param notifications selects `id, operator_id, type, reg` of notifications that the statement writes
 */
export function mailed(notifications: SQL, now: Date): SQL {
  const at = timestamptz(now)
  return sql`mailed as (
      insert into mails (id, operator_id, type, reg, next_attempt_at, created_at)
      select id, operator_id, type, reg, ${at}, ${at}
      from (${notifications} order by hashtext(operator_id::text), id) ordered where mail_allowed(operator_id, type, reg, ${at})
    )`
}
