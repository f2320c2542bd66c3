import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'

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
