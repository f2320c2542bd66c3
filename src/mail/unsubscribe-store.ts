import { and, arrayContains, eq, not, sql } from 'drizzle-orm'
import { audit } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { operators } from '../db/schema.ts'
import { isFound, transaction } from '../db/transaction.ts'
import type { Subscription } from './unsubscribe-token.ts'

/** Unsubscribes an operator from mails of a type; repeated calls change nothing. */
export async function unsubscribe(db: Db, { operator_id, type }: Subscription, now: Date): Promise<void> {
  const write = transaction<'UNSUBSCRIBED'>(db)
  const isSubscribed = and(eq(operators.id, operator_id), not(arrayContains(operators.mail_opt_outs, [type])))
  write.lock(operators, eq(operators.id, operator_id))
  write.require(isFound(db, operators, isSubscribed), 'UNSUBSCRIBED')
  write.add(
    db
      .update(operators)
      .set({
        mail_opt_outs: sql`array_append(${operators.mail_opt_outs}, ${type})`,
        updated_at: now.toISOString(),
      })
      .where(eq(operators.id, operator_id)),
  )
  write.add(audit(db, [{ operator_id, action: 'operator.updated', target: 'mail_opt_outs' }], now))
  await write.run()
}
