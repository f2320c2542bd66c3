import { and, desc, eq, not, sql } from 'drizzle-orm'
import { takeAllowance } from '../allowances/store.ts'
import { audit } from '../audit/store.ts'
import { AGENT_COLUMNS, AGENT_COUNTERS } from '../db/agent-columns.ts'
import type { Db } from '../db/client.ts'
import { agent_stats, agents, operators, sessions } from '../db/schema.ts'
import { jsonb, timestamptz } from '../db/sql.ts'
import { differs, only, transaction } from '../db/transaction.ts'
import type { Membership } from '../members/membership.ts'
import { shownMembership } from '../members/membership-store.ts'
import { scoreBasis } from '../trust/store.ts'
import { WINDOW_DAYS } from '../trust/window.ts'
import { offsetOf, type Page } from '../wire/page.ts'
import { averageScore, type Scores } from './average.ts'
import type { ChangePlan } from './change-plan.ts'
import type { Dashboard } from './responses.ts'

/** Whether the document of a check showed the operator's name, which has not changed since. */
const NAME_VERIFIED = sql<boolean>`${operators.name_verified_at} is not null`

/** The columns of an operator that are shown to itself. */
export const OPERATOR_COLUMNS = {
  id: operators.id,
  email: operators.email,
  name: operators.name,
  name_verified: NAME_VERIFIED.as('name_verified'),
  company_name: operators.company_name,
  company_url: operators.company_url,
  avatar_url: operators.avatar_url,
  role: operators.role,
  status: operators.status,
  kyc_status: operators.kyc_status,
  kyc_verified_at: operators.kyc_verified_at,
  kyc_expires_at: operators.kyc_expires_at,
  tier: operators.tier,
  agent_limit: operators.agent_limit,
  notification_prefs: operators.notification_prefs,
  mail_opt_outs: operators.mail_opt_outs,
  mail_refused_at: operators.mail_refused_at,
  created_at: operators.created_at,
  updated_at: operators.updated_at,
}

export type FoundOperator = NonNullable<Awaited<ReturnType<typeof findSessionOperator>>>

/** The operator of a session, as shown to itself; null if there is no such session. */
export async function findSessionOperator(db: Db, sessionId: string) {
  const ofSession = db.select({ id: sessions.operator_id }).from(sessions).where(eq(sessions.id, sessionId))
  const rows = await db
    .select(OPERATOR_COLUMNS)
    .from(operators)
    .where(eq(operators.id, sql`(${ofSession})`))
  return rows[0] ?? null
}

/**
 * Writes a planned change of an operator, with an audit row that lists the changed fields. Notification preferences are
 * merged into the stored ones. Changing the name ends its verification.
 */
export async function writeChange(
  db: Db,
  { id, tier }: FoundOperator,
  { given, fields }: ChangePlan,
  now: Date,
) {
  const { notification_prefs, ...values } = given
  const prefs = jsonb(notification_prefs ?? {})
  const still = keysOf(given).map((name) => {
    const isOther =
      name === 'notification_prefs'
        ? sql`not ${operators.notification_prefs} @> ${prefs}`
        : differs(operators[name], given[name])
    return fields.includes(name) ? isOther : not(isOther)
  })
  const write = transaction(db)
  write.unchanged(operators, { id }, and(...still))
  takeAllowance(write, { operator_id: id, tier }, 'changes', now)
  const changed = write.add(
    db
      .update(operators)
      .set({
        ...values,
        notification_prefs: sql`${operators.notification_prefs} || ${prefs}`,
        ...(fields.includes('name') && { name_verified_at: null }),
        updated_at: now.toISOString(),
      })
      .where(eq(operators.id, id))
      .returning(OPERATOR_COLUMNS),
  )
  const entry = { operator_id: id, action: 'operator.updated' as const, target: fields.join(', ') }
  write.add(audit(db, [entry], now))
  await write.run()
  return only(changed)
}

const keysOf = (given: ChangePlan['given']) => Object.keys(given) as ChangePlan['fields'] // the schema drops other keys

/** Resumes mail to an operator whose address was rejected. */
export async function resumeMail(db: Db, id: string) {
  const rows = await db
    .update(operators)
    .set({ mail_refused_at: null })
    .where(eq(operators.id, id))
    .returning(OPERATOR_COLUMNS)
  return rows[0] ?? null
}

/**
 * A page of an operator's agents, newest first.
 *
 * @returns the rows for `toCreated`, and the total number of the operator's agents
 */
export async function listAgents(db: Db, operatorId: string, page: Page, today: string) {
  const mine = eq(agents.operator_id, operatorId)
  const [rows, counted] = await db.batch([
    db
      .select({
        agent: {
          id: agents.id,
          ...AGENT_COLUMNS,
          operator_name: operators.name,
          operator_name_verified: NAME_VERIFIED,
        },
        membership: sql<Membership>`${shownMembership(sql`${agents}`)}`,
        stats: AGENT_COUNTERS,
        basis: scoreBasis(today),
      })
      .from(agents)
      .innerJoin(agent_stats, eq(agent_stats.agent_id, agents.id))
      .innerJoin(operators, eq(operators.id, agents.operator_id))
      .where(mine)
      .orderBy(desc(agents.registered_at), desc(agents.id))
      .limit(page.per_page)
      .offset(offsetOf(page)),
    db.select({ total: sql<number>`count(*)::integer` }).from(agents).where(mine),
  ])
  return { rows, total: only(counted).total }
}

type Sums = Omit<Dashboard, 'total_tasks' | 'success_rate'>
type StoredSums = Omit<Sums, keyof ReturnType<typeof averageScore>> & Scores

/** The query of `sumUp`; `toSums` reads its result. */
export function sumsQuery(db: Db, operatorId: string, now: Date) {
  return db.execute<{ sums: StoredSums }>(
    sql`select operator_sums(${operatorId}::uuid, ${timestamptz(now)}, ${WINDOW_DAYS}::integer) as sums`,
  )
}

/** The sums in the result of `sumsQuery`. */
export function toSums({ rows }: { rows: { sums: StoredSums }[] }): Sums {
  const { scores, score_sum, scored_at, unsettled, ...sums } = only(rows).sums
  return { ...sums, ...averageScore({ scores, score_sum, scored_at, unsettled }) }
}

/** The totals over all agents of an operator, including deactivated ones, and its active keys: one statement. */
export async function sumUp(db: Db, operatorId: string, now: Date): Promise<Sums> {
  return toSums(await sumsQuery(db, operatorId, now))
}
