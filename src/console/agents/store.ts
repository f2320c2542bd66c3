import { and, desc, eq, sql } from 'drizzle-orm'
import { recentDays } from '../../agents/recent-days.ts'
import { AGENT_COLUMNS, AGENT_COUNTERS } from '../../db/agent-columns.ts'
import type { Db } from '../../db/client.ts'
import type { AGENT_STATUSES } from '../../db/enums.ts'
import { agent_stats, agents, api_keys, incidents, operators } from '../../db/schema.ts'
import { redactionOf, timestamptz } from '../../db/sql.ts'
import type { Membership } from '../../members/membership.ts'
import { shownMembership } from '../../members/membership-store.ts'
import { ownershipQuery } from '../../ownership/store.ts'
import { scoreBasis } from '../../trust/store.ts'
import { offsetOf, type Page } from '../../wire/page.ts'

const INCIDENTS_SHOWN = 20
const KEYS_SHOWN = 3

/** The query for agents as the console shows them; the caller adds its conditions. */
export function agentRows(db: Db, today: string) {
  return db
    .select({
      agent: { ...AGENT_COLUMNS, id: agents.id, deactivated_at: agents.deactivated_at },
      membership: sql<Membership>`${shownMembership(sql`${agents}`)}`,
      stats: {
        ...AGENT_COUNTERS,
        open_incident_count: agent_stats.open_incident_count,
        last_active_at: agent_stats.last_active_at,
      },
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
  const isOwn = eq(agents.operator_id, operatorId)
  const mine = status === 'all' ? isOwn : and(isOwn, eq(agents.status, status))
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
      .where(isOwn),
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

/**
 * An operator's agent with its domain and challenge, its newest incidents (open ones first), and API keys that can report
 * for it: one round trip.
 *
 * @returns null if the operator has no such agent
 */
export async function findOwn(db: Db, operatorId: string, reg: string, today: string, now: Date) {
  const own = and(eq(agents.reg, reg), eq(agents.operator_id, operatorId))
  const [[row], [ownership], found, keys] = await db.batch([
    agentRows(db, today).where(own),
    ownershipQuery(db, reg, sql`${operatorId}::uuid`),
    db
      .select({
        id: incidents.id,
        title: incidents.title,
        severity: incidents.severity,
        status: incidents.status,
        description: incidents.description,
        created_at: incidents.created_at,
        resolution: incidents.resolution,
        redacted: sql<unknown>`${redactionOf(sql`${incidents.event_id}`)}`,
      })
      .from(incidents)
      .innerJoin(agents, eq(agents.id, incidents.agent_id))
      .where(own)
      .orderBy(incidents.status, desc(incidents.created_at), desc(incidents.id))
      .limit(INCIDENTS_SHOWN),
    db
      .select({ id: api_keys.id, name: api_keys.name, key_prefix: api_keys.key_prefix })
      .from(api_keys)
      .where(
        sql`${api_keys.operator_id} = ${operatorId}::uuid and ${api_keys.platform_id} is null and ${api_keys.revoked_at} is null
          and coalesce(${api_keys.expires_at}, 'infinity') > ${timestamptz(now)}
          and ${api_keys.permissions} && '{write,activity:report}'`,
      )
      .orderBy(desc(api_keys.created_at))
      .limit(KEYS_SHOWN),
  ])
  return row && ownership ? { ...row, ownership, incidents: found, keys } : null
}

export type OwnAgent = NonNullable<Awaited<ReturnType<typeof findOwn>>>
