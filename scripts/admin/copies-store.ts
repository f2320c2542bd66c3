import { type SQL, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { jsonb, timestamptz } from '../../src/db/sql.ts'
import { incidentTexts } from '../../src/incidents/opened.ts'
import { timeOf, uuidOfPart } from '../../src/lib/ids.ts'
import type { LockedEvent, Redaction } from './redaction-store.ts'

type Source = LockedEvent & { redacted: Redaction }

/**
 * The tables with data derived from an event's metadata, each with the update that hides it. An update changes only
 * rows that are not hidden yet. Every new copy of metadata must be added here.
 */
const COPIES = {
  incidents: hideIncident,
  tlog_outbox: hideTexts,
  tlog_facts: dropTexts,
  notifications: hideNotifications,
  webhook_events: hidePayloads,
  webhook_attempts: hideEchoes,
  idempotency_keys: hideResponses,
} satisfies Record<string, (source: Source) => SQL>

/** The tables that `hideCopies` changes. */
export const COPY_TABLES = Object.keys(COPIES)

/**
 * Hides the data derived from the metadata of a redacted event.
 *
 * @param db in the transaction that locked the event's agent
 * @returns how many rows were changed, by table
 */
export async function hideCopies(db: NodePgDatabase, source: Source): Promise<Record<string, number>> {
  const changed: Record<string, number> = {}
  for (const [table, hide] of Object.entries(COPIES)) {
    changed[table] = (await db.execute(hide(source))).rowCount ?? 0
  }
  return changed
}

function textsOf({ severity }: Source) {
  return incidentTexts({ metadata: {}, severity })
}

function hideIncident({ incident_id }: Source): SQL {
  return sql`select from redact_incident(${incident_id}::uuid)`
}

/** Replaces the texts that are not logged yet with those of the hidden incident. */
function hideTexts(source: Source): SQL {
  return sql`update tlog_outbox o set texts = incident_texts(i) from incidents i
    where o.kind = 'incident' and o.subject = ${source.incident_id}::text and i.id = ${source.incident_id}::uuid
      and o.texts <> incident_texts(i)`
}

/** The leaf and its facts stay in the log, but its texts can no longer be opened. */
function dropTexts({ incident_id }: Source): SQL {
  return sql`update tlog_facts set texts = null
    where kind = 'incident' and subject = ${incident_id}::text and texts is not null`
}

/** A notification may be about several incidents; its texts are those of the incident that it references. */
function hideNotifications(source: Source): SQL {
  const title = `Incident: ${textsOf(source).title}`
  const body = `Severity ${source.severity}. Its texts were redacted.`
  return sql`update notifications set title = ${title}, body = ${body}
    where incident_id = ${source.incident_id}::uuid and (title <> ${title} or body <> ${body})`
}

function hidePayloads(source: Source): SQL {
  const hidden = { ...textsOf(source), redacted: source.redacted }
  return sql`update webhook_events set data = data || ${jsonb(hidden)}
      || case when data ? 'resolution' then '{"resolution": ""}'::jsonb else '{}' end
    where ${tellsOf(source)} and not (data @> ${jsonb(hidden)} and coalesce(data ->> 'resolution', '') = '')`
}

/** A receiver may have echoed the payload in its response. */
function hideEchoes(source: Source): SQL {
  return sql`update webhook_attempts set response_excerpt = null
    where response_excerpt is not null and delivery_id in (
      select id from webhook_deliveries where event_id in (select id from webhook_events where ${tellsOf(source)}))`
}

function tellsOf({ incident_id }: Source): SQL {
  return sql`type in ('incident.created', 'incident.resolved') and data ->> 'incident_id' = ${incident_id}`
}

/** The stored response contains no metadata, but its replay must not show it; its time and first id are in the event id. */
function hideResponses({ id, redacted }: Source): SQL {
  const at = timestamptz(timeOf(id))
  return sql`update idempotency_keys
    set answer = answer || jsonb_build_object('redacted', coalesce(answer -> 'redacted', '{}') || ${jsonb({ [id]: redacted })})
    where created_at = ${at} and answer ->> 'first_id' = ${uuidOfPart(id, 0)}
      and not coalesce(answer -> 'redacted' ? ${id}, false)`
}
