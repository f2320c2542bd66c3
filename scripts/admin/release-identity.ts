import { and, isNotNull, not, sql } from 'drizzle-orm'
import { audit } from '../../src/audit/store.ts'
import { operators } from '../../src/db/schema.ts'
import { ofOne } from './command.ts'
import { transact } from './transaction.ts'

export const releaseIdentityCommand = ofOne('<email>', releaseIdentity)

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
  const rows = await transact(databaseUrl, async (db) => {
    const { id, kyc_status, kyc_identity, kyc_identity_released } = operators
    const named = sql`lower(${operators.email}) = lower(${email})`
    const released = await db
      .update(operators)
      .set({ kyc_identity_released: true, updated_at: now.toISOString() })
      .where(and(named, isNotNull(kyc_identity), not(kyc_identity_released)))
      .returning({ operator_id: id })
    const done = { action: 'operator.identity_released', target: null } as const
    await audit(
      db,
      released.map((operator) => ({ ...operator, ...done })),
      now,
    )
    const found = await db.select({ id, email: operators.email, kyc_status }).from(operators).where(named)
    return found.map((row) => ({
      ...row,
      released: released.some(({ operator_id }) => operator_id === row.id),
    }))
  })
  if (rows.length === 0)
    throw new Error(`there is no operator ${email}; an operator exists after the first sign-in`)
  return rows.map(describe).join('\n')
}

function describe(operator: { email: string; kyc_status: string; released: boolean }): string {
  const { email, kyc_status, released } = operator
  return released
    ? `${email}: identity released; still ${kyc_status}, and the next check may find another person`
    : `${email}: nothing to release, because no check has found an identity since; ${kyc_status}`
}
