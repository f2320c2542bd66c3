import { type SQL, sql } from 'drizzle-orm'
import { timestamptz } from '../db/sql.ts'

/**
 * The common table expression `mailed`, which queues mails for notifications, as far as the operators' settings and quotas
 * allow (SQL function mail_allowed).
 *
 * The rows are sorted because the function locks their operators: a fixed order prevents deadlocks. `offset 0` keeps the
 * planner from calling the function below the sort, before the first mail is inserted: it counts the mails before it.
 *
 * @param notifications selects `id, operator_id, type, reg, critical` of the notifications that the statement inserts
 */
export function mailed(notifications: SQL, now: Date): SQL {
  const at = timestamptz(now)
  return sql`mailed as (
      insert into mails (id, operator_id, type, reg, critical, next_attempt_at, created_at)
      select id, operator_id, type, reg, critical, ${at}, ${at}
      from (${notifications} order by hashtext(operator_id::text), id offset 0) ordered
      where mail_allowed(operator_id, type, reg, critical, ${at})
    )`
}
