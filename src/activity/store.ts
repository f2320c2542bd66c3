import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { wireTime } from '../db/sql.ts'
import type { Actor } from '../http/context.ts'
import { once, type Prior, type Repeatable, runOnce } from '../idempotency/store.ts'
import { incidentAlerts } from '../incidents/alert-store.ts'
import { incidentTexts, type OpenedIncident } from '../incidents/opened.ts'
import { toIso } from '../lib/time.ts'
import { lifecycleOf } from '../trust/lifecycle.ts'
import { eventDelta } from '../trust/rollup.ts'
import type { EventData } from '../webhooks/manage/event-types.ts'
import { OUTBOX, PENDING, type Publication } from '../webhooks/outbox/store.ts'
import type { ActivityEvent } from './answers.ts'
import type { EventInput } from './schema.ts'

/** An event to be stored; `incident` says what to open and tell when its type is `incident`. */
export interface NewEvent extends EventInput {
  id: string
  reported_by: ActivityEvent['reported_by']
  incident: OpenedIncident | null
  now: Date
  repeatable: Repeatable | null
}

/** What became of an event: stored, or why not. */
export type Stored =
  | { outcome: 'stored'; agent_id: string; created_at: string; deliveries: Publication[] | null }
  | { outcome: 'repeated'; prior: Prior }
  | { outcome: 'unknown_agent' | 'foreign_agent' | 'deactivated' }

type Row = {
  agent_id: string | null
  owned: boolean | null
  created_at: string | null
  prior?: Prior | null
  deliveries?: Publication[] | null
}

/**
 * Appends an event to the log of an agent of this operator or platform, and with it moves the agent's counters and the
 * rollup row of the day (the function append_event), opens the incident and fills the outbox. One statement; the parts
 * that an event does not need are not in it.
 */
export async function appendEvent(db: Db, actor: Actor, event: NewEvent): Promise<Stored> {
  const { incident, repeatable } = event
  const { first, unseen, keep, prior } = once(repeatable, () => keptAnswer(event))
  if (!incident && !repeatable) {
    const result = await db.execute<Row>(sql`select * from ${appended(actor, event, unseen)}`)
    return toStored(result.rows[0])
  }
  const row = await runOnce<Row>(
    db,
    repeatable,
    sql`
    with ${first} appended as materialized (
      select * from ${appended(actor, event, unseen)}
    ), stored as (
      select * from appended where created_at is not null
    ) ${incident ? incidentParts(event, incident) : sql``} ${keep}
    select ${prior} as prior, appended.*, ${incident ? PENDING : sql`null::jsonb`} as deliveries
    from (values (1)) one left join appended on true`,
  )
  return toStored(row)
}

/** Appends the event to the log; a row tells of its agent when that is known. */
function appended({ operator_id, platform_id }: Actor, event: NewEvent, unseen: SQL): SQL {
  const { id, reg, event_type, severity, metadata, reported_by, now } = event
  const added = JSON.stringify(eventDelta(event))
  const lifecycle = lifecycleOf([event])
  return sql`append_event(${reg}, ${operator_id}::uuid, ${platform_id}::uuid, ${unseen}, ${id}::uuid, ${event_type},
    ${severity}, ${JSON.stringify(metadata)}::jsonb, ${reported_by}, ${now.toISOString()}::timestamptz, ${added}::jsonb,
    ${lifecycle && JSON.stringify(lifecycle)}::jsonb)`
}

/** The answer to a stored event, for its repeats. */
function keptAnswer({ id, event_type, severity, metadata, reported_by }: NewEvent): SQL {
  const known = JSON.stringify({ id, event_type, severity, metadata, reported_by })
  return sql`select ${known}::jsonb || jsonb_build_object('agent_id', agent_id, 'created_at',
    ${wireTime(sql`created_at`)}) as answer from stored`
}

function toStored(row: Row | undefined): Stored {
  if (row?.prior) return { outcome: 'repeated', prior: row.prior }
  if (!row?.agent_id) return { outcome: 'unknown_agent' }
  if (!row.owned) return { outcome: 'foreign_agent' }
  if (row.created_at === null) return { outcome: 'deactivated' }
  return {
    outcome: 'stored',
    agent_id: row.agent_id,
    created_at: toIso(row.created_at),
    deliveries: row.deliveries ?? null,
  }
}

/** Opens the incident, and tells the agent's operator and platform of it. */
function incidentParts(event: NewEvent, { id, event: head }: OpenedIncident): SQL {
  const { title, description } = incidentTexts(event)
  const data = JSON.stringify({
    incident_id: id,
    reg: event.reg,
    title,
    severity: event.severity,
    status: 'open',
    description,
  } satisfies EventData<'incident.created'>)
  return sql`, opened as (
      insert into incidents (id, agent_id, event_id, title, description, severity, created_at)
      select ${id}::uuid, agent_id, ${event.id}::uuid, ${title}, ${description}, ${event.severity}, created_at
      from stored returning agent_id, title, severity, description
    ), opened_of as (
      select opened.*, stored.operator_id, ${event.reg}::text as reg from opened, stored
    ), ${incidentAlerts(sql`opened_of`, event.now)}, news as (
      select ${head.event_id}::text as event_id, ${head.delivery_id}::uuid as delivery_id, platform_id,
        ${head.type}::text as type, created_at, ${data}::jsonb as data
      from stored where platform_id is not null
    ), ${OUTBOX}`
}
