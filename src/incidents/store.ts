import { and, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { agent_stats, agents, incidents, operators } from '../db/schema.ts'
import { redactionOf, timestamptz, wireTime } from '../db/sql.ts'
import type { EventHead } from '../webhooks/outbox/events.ts'
import { eventColumns, type Publication, toOutbox } from '../webhooks/outbox/store.ts'
import { LIST_DEPTH, windowOf } from '../wire/page.ts'
import { incidentTexts } from './opened.ts'
import type { Incident } from './responses.ts'
import type { IncidentQuery } from './schema.ts'

const SHOWN = {
  incident_id: incidents.id,
  title: incidents.title,
  severity: incidents.severity,
  status: incidents.status,
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
 * A page of an agent's incidents, newest first; with default texts if the operator is suspended.
 *
 * @returns null if there is no such agent; `total` is at most `LIST_DEPTH`, where the list ends
 */
export async function listIncidents(db: Db, reg: string, query: IncidentQuery) {
  return toIncidents(await selectIncidents(db, reg, query))
}

/** The statement for a page of an agent's incidents; its rows are the input of `toIncidents`. */
export function selectIncidents(db: Db, reg: string, query: IncidentQuery) {
  const { status } = query
  const { limit, offset } = windowOf(query)
  const page = db
    .select(SHOWN)
    .from(incidents)
    .where(and(eq(incidents.agent_id, agents.id), status && eq(incidents.status, status)))
    .orderBy(desc(incidents.created_at), desc(incidents.id))
    .limit(limit)
    .offset(offset)
    .as('page')
  return db
    .select({
      total: sql<number>`least(${TOTAL[status ?? 'any']}, ${LIST_DEPTH}::integer)`,
      hidden: sql<boolean>`${operators.status} = 'suspended'`,
      incident: {
        incident_id: page.incident_id,
        reg: agents.reg,
        title: page.title,
        severity: page.severity,
        status: page.status,
        description: page.description,
        created_at: page.created_at,
        resolution: page.resolution,
        resolved_at: page.resolved_at,
        redacted: page.redacted,
      },
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

export type Resolved =
  | { outcome: 'resolved'; incident: Incident; deliveries: Publication[] | null }
  | { outcome: 'foreign'; reg: string }
  | { outcome: 'unknown' }

/**
 * Resolves an incident of this operator's agent, with the agent's counter and a webhook event: one statement. Of
 * concurrent calls the first one wins, and all return its result. The agent's row is locked first, as in reports of
 * events. The resolution of a redacted incident is not stored: it could repeat the redacted text.
 *
 * @param event sent only if the incident was open
 */
export async function resolveIncident(
  db: Db,
  {
    id,
    operator_id,
    resolution,
    event,
    now,
  }: { id: string; operator_id: string; resolution: string; event: EventHead; now: Date },
): Promise<Resolved> {
  const outgoing = sql`
        select ${eventColumns(event)}, platform_id, platform_state,
          jsonb_build_object('incident_id', id, 'reg', reg, 'title', title, 'severity', severity, 'status', status,
            'description', description, 'resolution', resolution,
            'resolved_at', ${wireTime(sql`resolved_at`)})
          || jsonb_strip_nulls(jsonb_build_object('redacted', ${redactionOf(sql`resolved.event_id`)})) as data
        from resolved`
  const { ctes, pending } = toOutbox(outgoing, now)
  const [written, found] = await db.batch([
    db.execute<{ deliveries: Publication[] | null }>(sql`
      with held as materialized (
        select s.agent_id, a.reg, a.platform_id, a.platform_state
        from incidents i join agents a on a.id = i.agent_id join agent_stats s on s.agent_id = a.id
        where i.id = ${id}::uuid and i.status = 'open' and a.operator_id = ${operator_id}::uuid
        for no key update of s
      ), resolved as (
        update incidents i set status = 'resolved', resolution = case when i.redacted then '' else ${resolution} end,
          resolved_at = greatest(i.created_at, ${timestamptz(now)})
        from held h where i.id = ${id}::uuid and i.agent_id = h.agent_id and i.status = 'open'
        returning i.*, h.reg, h.platform_id, h.platform_state
      ), counted as (
        update agent_stats s set open_incident_count = s.open_incident_count - 1
        from resolved r where s.agent_id = r.agent_id
      ), ${ctes}
      select ${pending} as deliveries`),
    db
      .select({
        owned: sql<boolean>`${agents.operator_id} = ${operator_id}::uuid`,
        incident: { ...SHOWN, reg: agents.reg },
      })
      .from(incidents)
      .innerJoin(agents, eq(agents.id, incidents.agent_id))
      .where(eq(incidents.id, id)),
  ])
  const [row] = found
  if (!row) return { outcome: 'unknown' }
  const { owned, incident } = row
  if (!owned) return { outcome: 'foreign', reg: incident.reg }
  return {
    outcome: 'resolved',
    incident: toIncident(incident),
    deliveries: written.rows[0]?.deliveries ?? null,
  }
}
