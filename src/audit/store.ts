import { type SQL, sql } from 'drizzle-orm'
import { eachUuid } from '../db/ids.ts'
import { uuidv7 } from '../lib/ids.ts'

/** The security-relevant actions that an operator's audit log names. */
export type AuditAction =
  | 'api_key.created'
  | 'api_key.updated'
  | 'api_key.revoked'
  | 'agent.deactivated'
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

/**
 * A common table expression that writes an audit row for each row of another one, in the statement of the action.
 *
 * @param from names a CTE with the column `target`: no row, no entry
 * @param action the action, or a column of that CTE which names it
 * @param operatorId an id, or a column of that CTE
 */
export function audited(from: SQL, action: AuditAction | SQL, operatorId: string | SQL, now: Date): SQL {
  return sql`audited as (
      insert into audit_log (id, operator_id, action, target, created_at)
      select ${eachUuid(uuidv7(now))}, ${operatorId}::uuid, ${action}, target, ${now.toISOString()}::timestamptz
      from ${from}
    )`
}
