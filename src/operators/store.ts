import { eq, getTableColumns } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { operators } from '../db/schema.ts'

const { issuer, subject, active_agents, ...shown } = getTableColumns(operators)

/** The columns of an operator that its owner sees. */
export const OPERATOR_COLUMNS = shown

/** The operator as the wire shows it; null when there is none. */
export async function findOperator(db: Db, id: string) {
  const rows = await db.select(OPERATOR_COLUMNS).from(operators).where(eq(operators.id, id))
  return rows[0] ?? null
}
