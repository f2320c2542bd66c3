import { and, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { agent_stats, agents, incidents, operators } from '../db/schema.ts'
import { redactionOf, timestamptz } from '../db/sql.ts'
import { isFound, only, transaction } from '../db/transaction.ts'
import { newEvent } from '../webhooks/outbox/events.ts'
import { emit, publicationsOf } from '../webhooks/outbox/store.ts'
import { LIST_DEPTH, limitsOf } from '../wire/page.ts'
import { incidentTexts } from './opened.ts'
import type { Incident } from './responses.ts'
import type { IncidentQuery } from './schema.ts'

const SHOWN = {
  incident_id: incidents.id,
  title: incidents.title,
  severity: incidents.severity,
  status: incidents.status,
  reported_by: incidents.reported_by,
  source: incidents.source,
  platform: incidents.platform,
  description: incidents.description,
  created_at: incidents.created_at,
  resolution: incidents.resolution,
  resolved_at: incidents.resolved_at,
  redacted: sql<Incident['redacted'] | null>`${redactionOf(sql`${incidents.event_id}`)}`.as('redacted'),
}

const { incident_count, open_incident_count } = agent_stats

/** The number of an agent's incidents by status, from its counters: no rows are counted. */
const TOTAL = {
  any: sql`${incident_count}`,
  open: sql`${open_incident_count}`,
  resolved: sql`${incident_count} - ${open_incident_count}`,
}

/**
 * A page of an agent's incidents, newest first; with default texts if theirs are withheld.
 *
 * @returns null if there is no such agent; `total` is at most `LIST_DEPTH`, where the list ends
 */
export async function listIncidents(db: Db, reg: string, query: IncidentQuery) {
  return toIncidents(await selectIncidents(db, reg, query))
}

/** The statement for a page of an agent's incidents; its rows are the input of `toIncidents`. */
export function selectIncidents(db: Db, reg: string, query: IncidentQuery) {
  const { status } = query
  const { limit, offset } = limitsOf(query)
  const page = db
    .select(SHOWN)
    .from(incidents)
    .where(and(eq(incidents.agent_id, agents.id), status && eq(incidents.status, status)))
    .orderBy(desc(incidents.created_at), desc(incidents.id))
    .limit(limit)
    .offset(offset)
    .as('page')
  const { incident_id, ...shown } = page._.selectedFields
  return db
    .select({
      total: sql<number>`least(${TOTAL[status ?? 'any']}, ${LIST_DEPTH}::integer)`,
      hidden: sql<boolean>`texts_withheld(${operators.status}, ${agents.texts_withheld_at})`,
      incident: { incident_id, reg: agents.reg, ...shown },
    })
    .from(agents)
    .innerJoin(agent_stats, eq(agent_stats.agent_id, agents.id))
    .innerJoin(operators, eq(operators.id, agents.operator_id))
    .leftJoinLateral(page, sql`true`)
    .where(eq(agents.reg, reg))
    .orderBy(desc(page.created_at), desc(page.incident_id))
}

/** The page of incidents from the rows of `selectIncidents`; null if there is no such agent. */
export function toIncidents(rows: Awaited<ReturnType<typeof selectIncidents>>) {
  const [first] = rows
  if (!first) return null
  const { total, hidden } = first
  // An agent without incidents on this page still has one row, in which they are null.
  const data = rows.flatMap(({ incident }) => (incident.incident_id === null ? [] : [toIncident(incident)]))
  return { total, hidden, data: hidden ? data.map(withoutTexts) : data }
}

/** The left join makes all columns nullable; once the id is not null, the others have the types of an incident. */
function toIncident({ redacted, ...shown }: Record<keyof Incident, unknown>): Incident {
  return { ...shown, ...(redacted ? { redacted } : {}) } as Incident
}

function withoutTexts(incident: Incident): Incident {
  const resolution = incident.resolution === null ? null : ''
  return { ...incident, ...defaultTexts(incident), resolution }
}

/** The texts of an incident whose own texts are hidden. */
export function defaultTexts({ severity }: Pick<Incident, 'severity'>) {
  return incidentTexts({ metadata: {}, severity })
}

/** An incident as its operator sees it, with the operator of its agent; null if there is none. */
export async function findIncident(db: Db, id: string) {
  const [row] = await db
    .select({ operator_id: agents.operator_id, incident: { ...SHOWN, reg: agents.reg } })
    .from(incidents)
    .innerJoin(agents, eq(agents.id, incidents.agent_id))
    .where(eq(incidents.id, id))
  return row ? { ...row, incident: toIncident(row.incident) } : null
}

/**
 * Resolves an open incident of this operator's agent, with the agent's counter and a webhook event. Of concurrent calls
 * the first one wins. The resolution of a redacted incident is not stored: it could repeat the redacted text.
 *
 * @returns the incident and the deliveries of its event, or why nothing was written
 */
export async function resolveIncident(
  db: Db,
  { id, operator_id, resolution }: { id: string; operator_id: string; resolution: string },
  now: Date,
) {
  const write = transaction<'NO_OPEN_INCIDENT'>(db)
  const reg = sql<string>`(select ${agents.reg} from ${agents} where ${agents.id} = ${incidents.agent_id})`
  const agentId = sql`(${db.select({ id: incidents.agent_id }).from(incidents).where(eq(incidents.id, id))})`
  const isOwn = and(eq(agents.id, agentId), eq(agents.operator_id, operator_id))

  write.lock(agent_stats, eq(agent_stats.agent_id, agentId))
  write.require(isFound(db, agents, isOwn), 'NO_OPEN_INCIDENT')
  write.require(
    isFound(db, incidents, and(eq(incidents.id, id), eq(incidents.status, 'open'))),
    'NO_OPEN_INCIDENT',
  )
  const resolved = write.add(
    db
      .update(incidents)
      .set({
        status: 'resolved',
        resolution: sql`case when ${incidents.redacted} then '' else ${resolution} end`,
        resolved_at: sql`greatest(${incidents.created_at}, ${timestamptz(now)})`,
      })
      .where(eq(incidents.id, id))
      .returning({ ...SHOWN, reg }),
  )
  write.add(
    db
      .update(agent_stats)
      .set({ open_incident_count: sql`${agent_stats.open_incident_count} - 1` })
      .where(eq(agent_stats.agent_id, agentId)),
  )
  const head = newEvent('incident.resolved', now)
  const data = sql`incident_payload(${id}::uuid)`
  const emitted = write.add(emit(db, [{ head, agent: { agent_id: agentId }, data }], now))
  const refusal = await write.run()
  return refusal ? { refusal } : { incident: toIncident(only(resolved)), deliveries: publicationsOf(emitted) }
}
