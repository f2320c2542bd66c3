import { type SQL, sql } from 'drizzle-orm'
import { timestamptz } from '../db/sql.ts'

/**
 * The common table expression `mailed`, which queues mails for notifications, as far as the operators' settings and quotas
 * allow (SQL function mail_allowed).
 *
 * The rows are sorted because the function locks their operators: a fixed order prevents deadlocks.
 *
 * @param notifications selects `id, operator_id, type, reg` of the notifications that the statement inserts
 */
export function mailed(notifications: SQL, now: Date): SQL {
  const at = timestamptz(now)
  return sql`mailed as (
      insert into mails (id, operator_id, type, reg, next_attempt_at, created_at)
      select id, operator_id, type, reg, ${at}, ${at}
      from (${notifications} order by hashtext(operator_id::text), id) ordered where mail_allowed(operator_id, type, reg, ${at})
    )`
}
