import { and, eq, isNotNull, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import type { EventType, PlatformState, Tier } from '../../db/enums.ts'
import { webhook_deliveries } from '../../db/schema.ts'
import { jsonb, timestamptz } from '../../db/sql.ts'
import type { Handle } from '../../db/transaction.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { EventHead } from './events.ts'
import { UNRESERVED_PER_DAY } from './unresponsive-store.ts'

/**
 * An expression that stores events and queues their deliveries (SQL function emit_events). Its value are the deliveries to
 * publish: `Publication[]` or null.
 *
 * @param outgoing selects `event_id, type, created_at, data`, and `agent_id`, or `platform_id, platform_state` instead; not
 * for events of incidents and scores
 */
export function emitEvents(outgoing: SQL, now: Date): SQL<Publication[] | null> {
  return emitted(sql`coalesce((select jsonb_agg(to_jsonb(n)) from (${outgoing}) n), '[]')`, now)
}

function emitted(events: SQL, now: Date): SQL<Publication[] | null> {
  return sql`emit_events(${events}, ${uuidv7(now)}::uuid, ${timestamptz(now)}, ${UNRESERVED_PER_DAY}::integer)`
}

/** An event of an agent, for the platform that it is on after the statements before, or for a given one. */
export interface OutgoingEvent {
  head: EventHead
  agent: { agent_id: string | SQL } | { platform_id: string; platform_state: PlatformState | null }
  /** The data of the event as jsonb, read after the statements before. */
  data: SQL
}

/**
 * A statement of a transaction that stores events and queues their deliveries (SQL function emit_events); null without
 * events.
 */
export function emit(db: Db, events: readonly OutgoingEvent[], now: Date) {
  if (events.length === 0) return null
  const rows = events.map(
    ({ head, agent, data }) => sql`jsonb_build_object('data', ${data}) || ${jsonb(head)}
      || ${'agent_id' in agent ? sql`jsonb_build_object('agent_id', ${agent.agent_id}::uuid)` : jsonb(agent)}`,
  )
  return db.execute<{ deliveries: Publication[] | null }>(
    sql`select ${emitted(sql`jsonb_build_array(${sql.join(rows, sql`, `)})`, now)} as deliveries`,
  )
}

/** The deliveries to publish that `emit` has queued. */
export function publicationsOf({ result }: Handle<{ rows: { deliveries: Publication[] | null }[] } | null>) {
  return result?.rows[0]?.deliveries ?? null
}

/** The columns of a publication that determine its flow. */
export function flowColumns(platform: SQL, operator: SQL): SQL {
  return sql`${platform}.operator_id, ${operator}.tier, webhook_host(${platform}.webhook_url) as host`
}

/** An attempt to schedule with QStash. */
export type Publication = Pick<typeof webhook_deliveries.$inferSelect, 'publish_count'> & {
  delivery_id: string
  /** The operator of the platform. */
  operator_id: string
  tier: Tier
  /** The host of the URL, in whose flow it is published; null without a URL. */
  host: string | null
  type: EventType
  attempt: number
  /** When the attempt is due, ISO 8601; absent means now. */
  due_at?: string
}

/** Marks attempts as published to QStash. */
export async function markPublished(db: Db, publications: readonly Publication[], now: Date): Promise<void> {
  // Locked in a fixed order: a request and two sweeps can mark overlapping batches concurrently.
  await db.execute(sql`
    update webhook_deliveries d
    set published_at = ${timestamptz(now)}, publish_count = d.publish_count + 1
    from (
      select locked.id, p.attempt from jsonb_to_recordset(${jsonb(publications)}) as p (delivery_id uuid, attempt integer)
      join webhook_deliveries locked on locked.id = p.delivery_id order by locked.id for no key update of locked
    ) p
    where d.id = p.id and d.status = 'pending'
      and (d.attempts = p.attempt - 1 or d.attempts = p.attempt and d.lease_until is not null)`)
}

/** Marks an attempt as not published, so that the sweep publishes it again. */
export async function clearPublished(db: Db, deliveryId: string, attempt: number): Promise<void> {
  const { id, status, attempts, lease_until } = webhook_deliveries
  const isInProgress = and(eq(attempts, attempt), isNotNull(lease_until))
  await db
    .update(webhook_deliveries)
    .set({ published_at: null })
    .where(and(eq(id, deliveryId), eq(status, 'pending'), or(eq(attempts, attempt - 1), isInProgress)))
}
