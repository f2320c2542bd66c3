import { sql } from 'drizzle-orm'
import { audited } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { timestamptz } from '../db/sql.ts'
import type { Subscription } from './unsubscribe-token.ts'

/** Unsubscribes an operator from mails of a type, with an audit row; repeated calls change nothing. */
export async function unsubscribe(db: Db, { operator_id, type }: Subscription, now: Date): Promise<void> {
  await db.execute(sql`
    with changed as (
      update operators set mail_unsubscribed = array_append(mail_unsubscribed, ${type}), updated_at = ${timestamptz(now)}
      where id = ${operator_id}::uuid and ${type} <> all (mail_unsubscribed)
      returning id as operator_id, 'mail_unsubscribed' as target
    ), ${audited(sql`select * from changed`, 'operator.updated', now)}
    select from changed`)
}
