import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/** A time as a parameter. */
export function timestamptz(time: Date | string): SQL {
  return sql`${typeof time === 'string' ? time : time.toISOString()}::timestamptz`
}

/** Data as one parameter: the driver takes many rows as JSON only. */
export function jsonb(value: unknown): SQL {
  return sql`${JSON.stringify(value)}::jsonb`
}

/** Bytes as standard base64 in one line: the driver takes and gives texts. */
export function base64(bytes: SQL): SQL {
  return sql`translate(encode(${bytes}, 'base64'), chr(10), '')`
}

/** Texts as an array of the database; null stays null. */
export function textArray(values: readonly string[] | null): SQL {
  return values === null ? sql`null::text[]` : sql`array(select jsonb_array_elements_text(${jsonb(values)}))`
}

/** A common table expression after others, with its comma; nothing when a statement goes without. */
export function also(cte: SQL | undefined): SQL | undefined {
  return cte && sql`, ${cte}`
}

/** A `timestamptz` as the wire shows it, for responses that are put together in SQL: ISO 8601 with `Z`. */
export function wireTime(column: SQL): SQL {
  return sql`wire_time(${column})`
}

/**
 * When and why the metadata of an event was redacted, `{at, reason}` as the wire shows it; null when it was not. A scalar:
 * so it is looked up by the event, whatever the planner knows of the table.
 */
export function redactionOf(eventId: SQL): SQL {
  return sql`(select jsonb_build_object('at', ${wireTime(sql`r.redacted_at`)}, 'reason', r.reason)
    from redactions r where r.event_id = ${eventId})`
}

/**
 * An expression that gives every row of a statement an id of its own: the UUIDv7 with its last 48 bits drawn anew.
 *
 * @param id a UUIDv7 of this moment
 */
export function eachUuid(id: string): SQL {
  return sql`overlay(${id}::text placing right(gen_random_uuid()::text, 12) from 25)::uuid`
}

/**
 * An expression that gives every row of a statement the id of an event: `evt_` and a UUIDv7 without dashes.
 *
 * @param id a UUIDv7 of this moment
 */
export function eachEventId(id: string): SQL {
  return sql`'evt_' || replace(${eachUuid(id)}::text, '-', '')`
}

const REPUBLISH_AFTER_SECONDS = sql.raw('600')
const DOUBLINGS_MAX = sql.raw('10')

/**
 * When a published delivery is published again, as UTC: not before it is due, nor before a time that doubles with each
 * publication, for flow control may rightly hold messages back. An index is made of it: a change needs a migration.
 */
export function republishAt(
  d: Record<'next_attempt_at' | 'published_at' | 'publish_count', SQLWrapper>,
): SQL {
  return sql`greatest(${d.next_attempt_at} at time zone 'utc', (${d.published_at} at time zone 'utc')
    + make_interval(secs => ${REPUBLISH_AFTER_SECONDS} * power(2, least(${d.publish_count}, ${DOUBLINGS_MAX}))))`
}
