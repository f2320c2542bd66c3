import { desc, eq, sql } from 'drizzle-orm'
import type { Membership } from '../agents/membership.ts'
import { shownMembership } from '../agents/membership-store.ts'
import { AGENT_COLUMNS, AGENT_COUNTERS } from '../agents/store.ts'
import { audited } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { agent_stats, agents, operators } from '../db/schema.ts'
import { jsonb, textArray, timestamptz } from '../db/sql.ts'
import { scoreBasis } from '../trust/store.ts'
import { offsetOf, type Page } from '../wire/page.ts'
import { averageScore, type Scores } from './average.ts'
import type { Dashboard } from './responses.ts'
import type { OperatorChanges } from './schema.ts'

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
  mail_unsubscribed: operators.mail_unsubscribed,
  mail_refused_at: operators.mail_refused_at,
  created_at: operators.created_at,
  updated_at: operators.updated_at,
}

const CHANGEABLE = [
  ...(['name', 'company_name', 'company_url', 'avatar_url'] as const),
  ...(['notification_prefs', 'mail_unsubscribed'] as const),
] as const
type Changeable = (typeof CHANGEABLE)[number]

/** The operator, as shown to itself; null if there is none. */
export async function findOperator(db: Db, id: string) {
  const rows = await db.select(OPERATOR_COLUMNS).from(operators).where(eq(operators.id, id))
  return rows[0] ?? null
}

/**
 * Changes the given fields of an operator, with an audit row that lists those whose value changed; if none did, nothing is
 * written. Notification preferences are merged into the stored ones. Changing the name ends its verification.
 */
export async function updateOperator(db: Db, id: string, changes: OperatorChanges, now: Date) {
  const given = CHANGEABLE.filter((field) => changes[field] !== undefined)
  const column = (field: Changeable) => sql.identifier(field)
  const value = (field: Changeable) => {
    if (field === 'notification_prefs') return sql`h.notification_prefs || ${jsonb(changes[field])}`
    if (field === 'mail_unsubscribed') return textArray([...new Set(changes[field])].sort())
    return sql`${changes[field] ?? null}::text`
  }
  const changedFields = given.map(
    (field) => sql`case when h.${column(field)} is distinct from ${value(field)} then ${field}::text end`,
  )
  const written = db.execute(sql`
    with held as materialized (
      select id, ${sql.join(CHANGEABLE.map(column), sql`, `)} from operators where id = ${id}::uuid for no key update
    ), changed as (
      select h.*, array_remove(array[${sql.join(changedFields, sql`, `)}], null) as fields from held h
    ), written as (
      update operators o set ${sql.join(
        given.map((field) => sql`${column(field)} = ${value(field)}`),
        sql`, `,
      )}, updated_at = ${timestamptz(now)},
        name_verified_at = case when 'name' = any (h.fields) then null else o.name_verified_at end
      from changed h where o.id = h.id and cardinality(h.fields) > 0
      returning o.id as operator_id, array_to_string(h.fields, ', ') as target
    ), ${audited(sql`select operator_id, target from written`, 'operator.updated', now)}
    select from written`)
  const [, rows] = await db.batch([
    written,
    db.select(OPERATOR_COLUMNS).from(operators).where(eq(operators.id, id)),
  ])
  return rows[0] ?? null
}

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
  const [rows, [counted]] = await db.batch([
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
  return { rows, total: counted?.total ?? 0 }
}

type Sums = Omit<Dashboard, 'total_tasks' | 'success_rate'>
type StoredSums = Omit<Sums, 'average_trust_score'> & Scores

/** The query of `sumUp`; `toSums` reads its result. */
export function sumsQuery(db: Db, operatorId: string, now: Date) {
  return db.execute<{ sums: StoredSums }>(
    sql`select operator_sums(${operatorId}::uuid, ${timestamptz(now)}) as sums`,
  )
}

/** The sums in the result of `sumsQuery`. */
export function toSums({ rows }: { rows: { sums: StoredSums }[] }): Sums {
  const [row] = rows
  if (!row) throw new Error('the sums of an operator have no row')
  const { scores, score_sum, unsettled, ...sums } = row.sums
  return { ...sums, average_trust_score: averageScore({ scores, score_sum, unsettled }) }
}

/** The totals over all agents of an operator, including deactivated ones, and its active keys: one statement. */
export async function sumUp(db: Db, operatorId: string, now: Date): Promise<Sums> {
  return toSums(await sumsQuery(db, operatorId, now))
}
