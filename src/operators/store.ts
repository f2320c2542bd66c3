import { desc, eq, getTableColumns, sql } from 'drizzle-orm'
import type { Membership } from '../agents/membership.ts'
import { shownMembership } from '../agents/membership-store.ts'
import { AGENT_COLUMNS, AGENT_COUNTERS } from '../agents/store.ts'
import type { Db } from '../db/client.ts'
import { agent_stats, agents, operators } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'
import { trustEvidence } from '../trust/store.ts'
import { offsetOf, type Page } from '../wire/page.ts'
import type { Dashboard } from './answers.ts'
import { averageScore, type Scores } from './average.ts'
import type { OperatorChanges } from './schema.ts'

const {
  issuer,
  subject,
  active_agents,
  registrations_day,
  registrations,
  name_verified_at,
  kyc_identity,
  digest_week,
  ...shown
} = getTableColumns(operators)

/** The columns of an operator that its owner sees. */
export const OPERATOR_COLUMNS = shown

/** The operator as the wire shows it; null when there is none. */
export async function findOperator(db: Db, id: string) {
  const rows = await db.select(OPERATOR_COLUMNS).from(operators).where(eq(operators.id, id))
  return rows[0] ?? null
}

/** Changes the given fields of an operator; notification preferences are merged into the stored ones. */
export async function updateOperator(db: Db, id: string, changes: OperatorChanges, now: Date) {
  const { notification_prefs, ...fields } = changes
  const prefs = notification_prefs && {
    notification_prefs: sql`${operators.notification_prefs} || ${JSON.stringify(notification_prefs)}::jsonb`,
  }
  const rows = await db
    .update(operators)
    .set({ ...fields, ...prefs, updated_at: now.toISOString() })
    .where(eq(operators.id, id))
    .returning(OPERATOR_COLUMNS)
  return rows[0] ?? null
}

/**
 * A page of an operator's agents, newest first, in the creation form.
 *
 * @returns the page, and how many agents the operator has in all
 */
export async function listAgents(db: Db, operatorId: string, page: Page, today: string) {
  const mine = eq(agents.operator_id, operatorId)
  const [rows, [counted]] = await db.batch([
    db
      .select({
        agent: { id: agents.id, ...AGENT_COLUMNS },
        membership: sql<Membership>`${shownMembership(sql`${agents}`)}`,
        stats: AGENT_COUNTERS,
        evidence: trustEvidence(today),
      })
      .from(agents)
      .innerJoin(agent_stats, eq(agent_stats.agent_id, agents.id))
      .where(mine)
      .orderBy(desc(agents.registered_at), desc(agents.id))
      .limit(page.per_page)
      .offset(offsetOf(page)),
    db.select({ total: sql<number>`count(*)::integer` }).from(agents).where(mine),
  ])
  return { rows, total: counted?.total ?? 0 }
}

type Sums = Omit<Dashboard, 'total_tasks' | 'success_rate'>
type StoredSums = Omit<Sums, 'average_trust_score'> & Scores

/** The sums over all agents of an operator, deactivated ones too, and its live keys; one statement. */
export async function sumUp(db: Db, operatorId: string, now: Date): Promise<Sums> {
  const result = await db.execute<{ sums: StoredSums }>(
    sql`select operator_sums(${operatorId}::uuid, ${timestamptz(now)}) as sums`,
  )
  const row = result.rows[0]
  if (!row) throw new Error('the sums of an operator have no row')
  const { scores, score_sum, unsettled, ...sums } = row.sums
  return { ...sums, average_trust_score: averageScore({ scores, score_sum, unsettled }) }
}
