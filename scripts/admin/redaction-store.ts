import { DrizzleQueryError, sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import type { activity_events, redactions } from '../../src/db/schema.ts'
import { jsonb, redactionOf, timestamptz } from '../../src/db/sql.ts'

export type Reason = (typeof redactions.$inferSelect)['reason']

/** When and why an event was redacted, as in the API. */
export interface Redaction {
  at: string
  reason: Reason
}

/** An event of the log, with its redaction. */
export type LockedEvent = Pick<
  typeof activity_events.$inferSelect,
  'id' | 'agent_id' | 'event_type' | 'severity' | 'metadata'
> & {
  reg: string
  operator_id: string
  incident_id: string | null
  redacted: Redaction | null
  erased_at: string | null
}

/**
 * Reads an event, and locks its agent until the end of the transaction, which blocks new events, resolutions, and
 * other redactions.
 *
 * @returns null when the event does not exist
 */
export async function lockEvent(db: NodePgDatabase, id: string): Promise<LockedEvent | null> {
  await db.execute(sql`select from agent_stats
    where agent_id = (select agent_id from activity_events where id = ${id}::uuid) for no key update`)
  const { rows } = await db.execute<LockedEvent>(sql`
    select e.id, e.agent_id, e.event_type, e.severity, e.metadata, a.reg, a.operator_id, i.id as incident_id,
      ${redactionOf(sql`e.id`)} as redacted,
      (select wire_time(erased_at) from redactions where event_id = e.id) as erased_at
    from activity_events e join agents a on a.id = e.agent_id
    left join incidents i on i.agent_id = e.agent_id and i.created_at = e.created_at and i.event_id = e.id
    where e.id = ${id}::uuid`)
  return rows[0] ?? null
}

/**
 * Marks an event as redacted, and stores its share of its rollup row.
 *
 * @param added the counters that are not 0
 */
export async function addRedaction(
  db: NodePgDatabase,
  id: string,
  { at, reason }: Redaction,
  added: Record<string, number>,
): Promise<void> {
  await db.execute(sql`
    insert into redactions (event_id, agent_id, reason, redacted_at, added)
    select id, agent_id, ${reason}, ${timestamptz(at)}, ${jsonb(added)}
    from activity_events where id = ${id}::uuid`)
}

// Reports queue behind this lock. It times out before they do (3 s), and before Postgres looks for a deadlock with a batch
// that waits for the agent (1 s).
const LOCK_TIMEOUT = sql.raw(`'900ms'`)
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Erases the metadata of an event in the log. The trigger that makes the log immutable is disabled for this one update;
 * no other transaction sees that, and none writes to the log meanwhile. The commitment of the transparency log is kept.
 *
 * @param db in a transaction that has locked the transparency log
 * @throws Error when the log is busy for too long, or the transparency log does not contain the event yet
 */
export async function emptyMetadata(db: NodePgDatabase, id: string, now: Date): Promise<void> {
  const { rows } = await db.execute<{ commitment: string | null; is_due: boolean }>(sql`
    select tlog_metadata_commitment(${id}::uuid) as commitment, s.size > 0 and s.paused is null
      and e.created_at > ${timestamptz(now)} - interval '1 hour' as is_due
    from tlog_state s, activity_events e where e.id = ${id}::uuid`)
  const { commitment = null, is_due = false } = rows[0] ?? {}
  if (is_due && commitment === null)
    throw new Error(
      'the transparency log does not contain the event yet: run the command again in two minutes',
    )
  try {
    await db.execute(sql`update redactions set erased_at = ${timestamptz(now)}, metadata_commitment = ${commitment}
      where event_id = ${id}::uuid`)
    await db.execute(sql`set local lock_timeout = ${LOCK_TIMEOUT}`)
    await db.execute(sql`alter table activity_events disable trigger activity_events_immutable`)
    await db.execute(sql`update activity_events set metadata = '{}' where id = ${id}::uuid`)
    await db.execute(sql`alter table activity_events enable always trigger activity_events_immutable`)
  } catch (error) {
    const cause = error instanceof DrizzleQueryError ? error.cause : error
    if (!(cause instanceof pg.DatabaseError) || cause.code !== LOCK_NOT_AVAILABLE) throw error
    throw new Error('the log is busy: nothing was erased; run the command again', { cause })
  }
}

/** Removes old row versions, and the values that the planner sampled from them. */
export async function vacuum(db: NodePgDatabase, tables: readonly string[]): Promise<void> {
  const names = sql.join(
    tables.map((table) => sql.identifier(table)),
    sql`, `,
  )
  await db.execute(sql`vacuum (analyze, truncate false) ${names}`)
}
