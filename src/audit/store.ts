import { desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { audit_log } from '../db/schema.ts'
import { eachUuid, timestamptz } from '../db/sql.ts'
import { uuidv7 } from '../lib/ids.ts'
import { offsetOf, type Page } from '../wire/page.ts'

/** The security-relevant actions that an operator's audit log names. */
export type AuditAction =
  | 'session.started'
  | 'session.ended'
  | 'api_key.created'
  | 'api_key.updated'
  | 'api_key.revoked'
  | 'agent.deactivated'
  | 'agent.platform_changed'
  | 'agent.removed_from_platform'
  | 'ownership.verified'
  | 'ownership.lost'
  | 'kyc.started'
  | 'kyc.verified'
  | 'kyc.failed'
  | 'kyc.canceled'
  | 'platform.webhook_disabled'
  | 'platform.registered'
  | 'platform.updated'
  | 'platform.enabled'
  | 'platform.secret_rotated'
  | 'platform.retired'
  | 'platform.established'
  | 'platform.distrusted'
  | 'platform.distrust_ended'
  | 'platform.agent_confirmed'
  | 'platform.agent_removed'
  | 'operator.updated'
  | 'operator.identity_released'
  | 'operator.suspended'
  | 'operator.unsuspended'
  | 'operator.tier_changed'
  | 'event.redacted'
  | 'event.erased'

/**
 * The common table expression `audited`, which writes an audit row in the statement of the action.
 *
 * @param rows selects `operator_id, target` of each
 * @param action the action, or a column of these rows that names it
 */
export function audited(rows: SQL, action: AuditAction | SQL, now: Date): SQL {
  return sql`audited as (
      insert into audit_log (id, operator_id, action, target, created_at)
      select ${eachUuid(uuidv7(now))}, operator_id, ${action}, target, ${timestamptz(now)} from (${rows}) done
    )`
}

/** A page of an operator's audit log, newest first, with how many entries there are. */
export async function listAudit(db: Db, operatorId: string, page: Page) {
  const { id, action, target, created_at } = audit_log
  const mine = eq(audit_log.operator_id, operatorId)
  const [data, [counted]] = await db.batch([
    db
      .select({ id, action, target, created_at })
      .from(audit_log)
      .where(mine)
      .orderBy(desc(created_at), desc(id))
      .limit(page.per_page)
      .offset(offsetOf(page)),
    db.select({ total: sql<number>`count(*)::integer` }).from(audit_log).where(mine),
  ])
  return { data, total: counted?.total ?? 0 }
}
