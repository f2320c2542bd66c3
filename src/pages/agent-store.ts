import { eq, sql } from 'drizzle-orm'
import { selectActivity, toActivity } from '../activity/list-store.ts'
import { type FoundAgent, type Profile, toFound } from '../agents/store.ts'
import type { Db } from '../db/client.ts'
import { type agent_keys, agents, operators } from '../db/schema.ts'
import type { Incident } from '../incidents/responses.ts'
import { selectIncidents, toIncidents } from '../incidents/store.ts'
import { scoreBasis } from '../trust/store.ts'
import { WINDOW_DAYS } from '../trust/window.ts'
import { PUBLIC_EVENTS } from '../wire/page.ts'
import type { WithheldField } from '../wire/withheld.ts'

const PAGE_INCIDENTS = 5
const LOG_INCIDENTS = 20

/** The data of an agent's page: the result of the SQL function agent_page. */
export interface AgentOnPage {
  agent: FoundAgent
  /** The last day of the history, `YYYY-MM-DD`. */
  today: string
  /** Rollup rows of the history and of the window, as input of `readRows`. */
  rows: string | null
  open_outages: number
  /** Tasks of earlier days that are in the window of the first scores of the history. */
  earlier: [day: string, tasks: number][] | null
  /** The overall scores of the history by day, oldest first; the first can be older than the history. */
  scores: [day: string, overall: number][] | null
  /** The keys that are not revoked, oldest first; some may have expired today. */
  keys: Pick<typeof agent_keys.$inferSelect, 'added_at' | 'expires_at'>[] | null
  /** The newest incidents. */
  incidents:
    | Pick<Incident, 'title' | 'severity' | 'source' | 'platform' | 'created_at' | 'resolved_at'>[]
    | null
}

/**
 * The data of an agent's page; null if there is no such agent.
 *
 * @param today the UTC day of the request, `YYYY-MM-DD`
 * @param days length of the history
 */
export async function findAgentPage(
  db: Db,
  reg: string,
  today: string,
  days: number,
): Promise<AgentOnPage | null> {
  const { rows } = await db.execute<{ page: (Omit<AgentOnPage, 'agent'> & { agent: Profile }) | null }>(sql`
    select agent_page(${reg}, ${today}::date, ${days}::integer, ${WINDOW_DAYS}::integer,
      ${PAGE_INCIDENTS}::integer) as page`)
  const page = rows[0]?.page
  return page ? { ...page, agent: toFound(page.agent) } : null
}

/** The agent, and the leaves of its newest events by event id: the result of the SQL function agent_leaves. */
type Leaves = Pick<typeof agents.$inferSelect, 'name'> & {
  operator_status: (typeof operators.$inferSelect)['status']
  withheld: WithheldField[] | null
  leaves: Record<string, number> | null
}

/** The public events of an agent with their leaves, and its newest incidents; null if there is no such agent. */
export async function findAgentLog(db: Db, reg: string) {
  const [leaves, activity, incidents] = await db.batch([
    db.execute<{ agent: Leaves | null }>(
      sql`select agent_leaves(${reg}, ${PUBLIC_EVENTS}::integer) as agent`,
    ),
    selectActivity(db, reg, null, { page: 1, per_page: PUBLIC_EVENTS }),
    selectIncidents(db, reg, { page: 1, per_page: LOG_INCIDENTS }),
  ])
  const [agent, events, shown] = [leaves.rows[0]?.agent, toActivity(activity), toIncidents(incidents)]
  return agent && events && shown ? { ...agent, events, incidents: shown } : null
}

/** What an agent's badge is judged from; null if there is no such agent. */
export async function findBadge(db: Db, reg: string, today: string) {
  const [found] = await db
    .select({ status: agents.status, operator_status: operators.status, basis: scoreBasis(today) })
    .from(agents)
    .innerJoin(operators, eq(operators.id, agents.operator_id))
    .where(eq(agents.reg, reg))
  return found ?? null
}
