import { sql } from 'drizzle-orm'
import { auditRows } from '../../src/audit/store.ts'
import { timestamptz } from '../../src/db/sql.ts'
import { withDatabase } from '../support/database.ts'
import type { Command } from './command.ts'

export const releaseIdentityCommand: Command = {
  usage: '<email>',
  run: async (url, [email, ...more]) => (email && more.length === 0 ? releaseIdentity(url, email) : null),
}

type Released = { email: string; kyc_status: string; released: boolean }

/**
 * Allows the next identity check of an operator to find another person, and adds an entry to its audit log. Until that
 * check, the operator keeps its identity, so that the source of its platforms' reports does not change.
 *
 * @param databaseUrl connection string of the database owner
 * @returns a line for each operator with this address that states what was done
 * @throws Error when no operator has this address
 */
async function releaseIdentity(databaseUrl: string, email: string): Promise<string> {
  const now = new Date()
  const { rows } = await withDatabase(databaseUrl, (db) =>
    db.execute<Released>(sql`
      with found as materialized (
        select id, email, kyc_status, kyc_identity is not null and not kyc_identity_released as released from operators
        where lower(email) = lower(${email}) for no key update
      ), changed as (
        update operators o set kyc_identity_released = true, updated_at = ${timestamptz(now)}
        from found f where o.id = f.id and f.released returning o.id
      ), audited as (${auditRows(sql`select id as operator_id, null::text as target from changed`, 'operator.identity_released', now)})
      select email, kyc_status, released from found`),
  )
  if (rows.length === 0)
    throw new Error(`there is no operator ${email}; an operator exists after the first sign-in`)
  return rows.map(describe).join('\n')
}

function describe({ email, kyc_status, released }: Released): string {
  return released
    ? `${email}: identity released; still ${kyc_status}, and the next check may find another person`
    : `${email}: nothing to release, because no check has found an identity since; ${kyc_status}`
}
