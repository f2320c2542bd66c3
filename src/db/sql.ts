import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

/** A time as a parameter. */
export function timestamptz(time: Date | string): SQL {
  return sql`${typeof time === 'string' ? time : time.toISOString()}::timestamptz`
}

/** Data as one JSON parameter, which is how many rows are passed to a statement. */
export function jsonb(value: unknown): SQL {
  return sql`${JSON.stringify(value)}::jsonb`
}

/** Bytes as standard base64 in one line, because the driver exchanges only texts. */
export function base64(bytes: SQL): SQL {
  return sql`translate(encode(${bytes}, 'base64'), chr(10), '')`
}

/**
 * When and why the metadata of an event was redacted, `{at, reason}` as in the API; null if it was not. It is a scalar
 * subquery, so that the planner always looks it up by the event.
 */
export function redactionOf(eventId: SQL): SQL {
  return sql`(select jsonb_build_object('at', wire_time(r.redacted_at), 'reason', r.reason)
    from redactions r where r.event_id = ${eventId})`
}

const REPUBLISH_AFTER_SECONDS = sql.raw('600')
const DOUBLINGS_MAX = sql.raw('10')

/**
 * When a published delivery is published again, in UTC: not before it is due, and after a delay that doubles with each
 * publication, because flow control may delay messages. An index uses this expression: a change rebuilds it.
 */
export function republishAt(
  d: Record<'next_attempt_at' | 'published_at' | 'publish_count', SQLWrapper>,
): SQL {
  return sql`greatest(${d.next_attempt_at} at time zone 'utc', (${d.published_at} at time zone 'utc')
    + make_interval(secs => ${REPUBLISH_AFTER_SECONDS} * power(2, least(${d.publish_count}, ${DOUBLINGS_MAX}))))`
}
