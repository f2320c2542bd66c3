import { and, desc, eq, sql } from 'drizzle-orm'
import { recentDays } from '../../agents/recent-days-store.ts'
import { AGENT_COLUMNS } from '../../db/agent-columns.ts'
import type { Db } from '../../db/client.ts'
import type { AGENT_STATUSES } from '../../db/enums.ts'
import { agent_stats, agents, api_keys, incidents, operators } from '../../db/schema.ts'
import { timestamptz } from '../../db/sql.ts'
import type { Membership } from '../../members/membership.ts'
import { shownMembership } from '../../members/membership-store.ts'
import { ownershipQuery } from '../../ownership/store.ts'
import { scoreBasis } from '../../trust/store.ts'
import { offsetOf, type Page } from '../../wire/page.ts'

const INCIDENTS_SHOWN = 20
const KEYS_SHOWN = 3

/** The query for agents as the console shows them; the caller adds its conditions. */
export function agentRows(db: Db, today: string) {
  const { open_incident_count, last_active_at } = agent_stats
  return db
    .select({
      agent: { ...AGENT_COLUMNS, deactivated_at: agents.deactivated_at },
      membership: sql<Membership>`${shownMembership(sql`${agents}`)}`,
      stats: { open_incident_count, last_active_at },
      basis: scoreBasis(today),
      days: recentDays(today, sql`${agents.id}`),
    })
    .from(agents)
    .innerJoin(agent_stats, eq(agent_stats.agent_id, agents.id))
    .$dynamic()
}

export type AgentRow = Awaited<ReturnType<typeof agentRows>>[number]

export type StatusFilter = (typeof AGENT_STATUSES)[number] | 'all'

/** A page of an operator's agents, newest first, with their number and the limit of active agents. */
export async function listOwn(
  db: Db,
  operatorId: string,
  { status, ...page }: Page & { status: StatusFilter },
  today: string,
) {
  const all = eq(agents.operator_id, operatorId)
  const mine = status === 'all' ? all : and(all, eq(agents.status, status))
  const [rows, [counted], [room]] = await db.batch([
    agentRows(db, today)
      .where(mine)
      .orderBy(desc(agents.registered_at), desc(agents.id))
      .limit(page.per_page)
      .offset(offsetOf(page)),
    db
      .select({
        total: sql<number>`count(*) filter (where ${mine})::integer`,
        all: sql<number>`count(*)::integer`,
      })
      .from(agents)
      .where(all),
    roomQuery(db, operatorId),
  ])
  return { rows, total: counted?.total ?? 0, all: counted?.all ?? 0, room }
}

function roomQuery(db: Db, operatorId: string) {
  const { active_agents, agent_limit } = operators
  return db.select({ active_agents, agent_limit }).from(operators).where(eq(operators.id, operatorId))
}

/** The number of active agents of an operator, and their limit. */
export async function findRoom(db: Db, operatorId: string) {
  const [room] = await roomQuery(db, operatorId)
  if (!room) throw new Error('the operator of an active session does not exist')
  return room
}

/** An operator's agent; null if the operator has no such agent. */
export async function findOwn(db: Db, operatorId: string, reg: string, today: string) {
  const [row] = await agentRows(db, today).where(isOwn(operatorId, reg))
  return row ?? null
}

/** The newest incidents of an operator's agent, open ones first. */
export async function listOwnIncidents(db: Db, operatorId: string, reg: string) {
  const { id, title, severity, status, description, created_at, resolution, resolved_at } = incidents
  return db
    .select({ id, title, severity, status, description, created_at, resolution, resolved_at })
    .from(incidents)
    .innerJoin(agents, eq(agents.id, incidents.agent_id))
    .where(isOwn(operatorId, reg))
    .orderBy(status, desc(created_at), desc(id))
    .limit(INCIDENTS_SHOWN)
}

/** The domain and challenge of an operator's agent; null if the operator has no such agent. */
export async function findOwnOwnership(db: Db, operatorId: string, reg: string) {
  const [ownership] = await ownershipQuery(db, reg, sql`${operatorId}::uuid`)
  return ownership ?? null
}

/** The newest API keys of an operator that can report. */
export async function listReportingKeys(db: Db, operatorId: string, now: Date) {
  return db
    .select({ id: api_keys.id, name: api_keys.name, key_prefix: api_keys.key_prefix })
    .from(api_keys)
    .where(
      sql`${api_keys.operator_id} = ${operatorId}::uuid and ${api_keys.platform_id} is null and ${api_keys.revoked_at} is null
        and coalesce(${api_keys.expires_at}, 'infinity') > ${timestamptz(now)}
        and ${api_keys.permissions} && '{write,activity:report}'`,
    )
    .orderBy(desc(api_keys.created_at))
    .limit(KEYS_SHOWN)
}

function isOwn(operatorId: string, reg: string) {
  return and(eq(agents.reg, reg), eq(agents.operator_id, operatorId))
}
