import { sql } from 'drizzle-orm'
import { selectActivity, toActivity } from '../activity/list-store.ts'
import type { FoundAgent } from '../agents/store.ts'
import type { Db } from '../db/client.ts'
import type { agents, operators } from '../db/schema.ts'
import type { Incident } from '../incidents/responses.ts'
import { selectIncidents, toIncidents } from '../incidents/store.ts'
import { WINDOW_DAYS } from '../trust/window.ts'

const PAGE_INCIDENTS = 5
const LOG_INCIDENTS = 20
/** The public ones, all on one page. */
const LOG_EVENTS = 50

/** What the page of an agent shows: what the function agent_page gives. */
export interface AgentOnPage {
  card: FoundAgent
  /** The last day of the history, `YYYY-MM-DD`. */
  today: string
  /** Rollup rows of the history and of the window, as `readRows` takes them. */
  rows: string | null
  /** Tasks of the days before those, on which the first scores of the history rest. */
  earlier: [day: string, tasks: number][] | null
  /** Day and overall of the scores of the history, oldest first; the first may lie before it. */
  scores: [day: string, overall: number][] | null
  /** The newest ones. */
  incidents: Pick<Incident, 'title' | 'severity' | 'status' | 'created_at' | 'resolved_at'>[] | null
}

/**
 * What the page of an agent shows; null when there is no such agent.
 *
 * @param today the UTC day `YYYY-MM-DD` of the question
 * @param days how many days the history goes back
 */
export async function findAgentPage(
  db: Db,
  reg: string,
  today: string,
  days: number,
): Promise<AgentOnPage | null> {
  const { rows } = await db.execute<{ page: AgentOnPage | null }>(sql`
    select agent_page(${reg}, ${today}::date, ${days}::integer, ${WINDOW_DAYS}::integer,
      ${PAGE_INCIDENTS}::integer) as page`)
  return rows[0]?.page ?? null
}

/** Whose log it is, and the leaves of its newest events by their ids: what the function agent_leaves gives. */
type Leaves = Pick<typeof agents.$inferSelect, 'name' | 'status'> & { leaves: Record<string, number> | null }

/** The public events of an agent with their leaves, and its newest incidents; null when there is no such agent. */
export async function findAgentLog(db: Db, reg: string) {
  const [leaves, activity, incidents] = await db.batch([
    db.execute<{ agent: Leaves | null }>(sql`select agent_leaves(${reg}, ${LOG_EVENTS}::integer) as agent`),
    selectActivity(db, reg, null, { page: 1, per_page: LOG_EVENTS }),
    selectIncidents(db, reg, { page: 1, per_page: LOG_INCIDENTS }),
  ])
  const [agent, events, shown] = [leaves.rows[0]?.agent, toActivity(activity), toIncidents(incidents)]
  return agent && events && shown ? { ...agent, events, incidents: shown } : null
}

/** What a badge shows of an agent. */
export interface Badged {
  status: (typeof agents.$inferSelect)['status']
  operator_status: (typeof operators.$inferSelect)['status']
  today: string
  rows: string | null
}

/** What a badge is made of: the agent's state, and the rollup rows of its score; null when there is no such agent. */
export async function findBadged(db: Db, reg: string, today: string): Promise<Badged | null> {
  const { rows } = await db.execute<{ badged: Badged }>(sql`
    select json_build_object('status', a.status, 'operator_status', o.status, 'today', d.today,
      'rows', rollup_rows(a.id, d.today - ${WINDOW_DAYS}::integer, d.today)) as badged
    from agents a join operators o on o.id = a.operator_id
    cross join lateral (select least((a.deactivated_at at time zone 'utc')::date, ${today}::date) as today) d
    where a.reg = ${reg}`)
  return rows[0]?.badged ?? null
}
