import { type SQL, sql } from 'drizzle-orm'
import { clearedCounts, joiningState, rejection, targets } from '../agents/membership-store.ts'
import { agentPayload } from '../agents/payload-store.ts'
import { eachEventId, jsonb, timestamptz } from '../db/sql.ts'
import { uuidv7 } from '../lib/ids.ts'
import { emitEvents, type Publication } from '../webhooks/outbox/store.ts'

/** The fragments of a departure that the rest of its statement uses. */
export interface Departure {
  /** Common table expressions. */
  ctes: SQL
  /** An expression that sends the events; its value are the deliveries to publish. */
  deliveries: SQL<Publication[] | null>
  /** The name of a CTE with one row per agent that left: columns of `agents`, and `from_id, next_slug, rejection, to_id`. */
  gone: SQL
}

/**
 * Fragments that remove agents from their platforms and move them to their next ones, unless these reject them; both
 * platforms are notified.
 *
 * @param held selects locked rows of `agents` with `score`, the `ShownScore` as jsonb
 */
export function depart(held: SQL, now: Date): Departure {
  const deliveries = emitEvents(
    sql`select ${eachEventId(uuidv7(now), sql`g.id, e.nth`)} as event_id, e.type, ${timestamptz(now)} as created_at, e.platform_id, e.platform_state,
        ${agentPayload(sql`m`, sql`s`, sql`o`, sql`g.score`)} || e.extra as data
      from gone g join moved m on m.id = g.id join agent_stats s on s.agent_id = g.id
      join operators o on o.id = g.operator_id
      cross join lateral (
        select 1 as nth, 'agent.updated' as type, g.from_id as platform_id, g.from_state as platform_state,
          ${jsonb({ changed: ['platform_slug'] })} as extra
        union all
        select 2, 'agent.registered', g.to_id, g.to_state, '{}'::jsonb where g.to_id is not null
      ) e`,
    now,
  )
  return {
    deliveries,
    gone: sql`gone`,
    ctes: sql`held as materialized (${held}), ${targets(sql`p.id in (select next_platform_id from held)`)},
    requested as (
      select h.*, t.slug as next_slug, t.id as target_id, ${joiningState(sql`h`, sql`t`)} as state,
        ${rejection(sql`h`, sql`t`, now)} as rejection
      from held h left join targets t on t.id = h.next_platform_id
    ), gone as materialized (
      select id, operator_id, reg, name, score, platform_id as from_id, platform_state as from_state, next_slug, rejection,
        case when rejection is null then target_id end as to_id,
        case when rejection is null and target_id is not null then state end as to_state
      from requested
    ), moved as (
      update agents a set platform_id = g.to_id, platform_state = g.to_state,
        platform_since = case when g.to_id is not null then ${timestamptz(now)} end,
        platform_leaves_at = null, next_platform_id = null
      from gone g where a.id = g.id
      returning a.*
    ), ${clearedCounts(sql`select id from gone where to_id is not null`)}`,
  }
}
