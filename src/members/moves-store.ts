import { sql } from 'drizzle-orm'
import { type ShownScore, shownScore } from '../agents/profile.ts'
import type { Db } from '../db/client.ts'
import { agents } from '../db/schema.ts'
import { jsonb, timestamptz } from '../db/sql.ts'
import { utcDay } from '../lib/time.ts'
import { notifyOperators } from '../notifications/store.ts'
import { scoreBasis } from '../trust/store.ts'
import type { Publication } from '../webhooks/outbox/store.ts'
import { depart } from './departure-store.ts'

/** An agent whose notice is over, with its score for the events. */
export interface Leaving {
  id: string
  score: ShownScore
}

/** Agents whose notice is over, longest overdue first. */
export async function findLeaving(db: Db, now: Date, limit: number): Promise<Leaving[]> {
  const rows = await db
    .select({ id: agents.id, basis: scoreBasis(utcDay(now)) })
    .from(agents)
    .where(sql`${agents.platform_leaves_at} <= ${timestamptz(now)}`)
    .orderBy(agents.platform_leaves_at)
    .limit(limit)
  return rows.map(({ id, basis }) => ({ id, score: shownScore(basis) }))
}

/**
 * Moves agents whose notice is over from their platforms to their next ones, with the webhook events, in one statement. If
 * the next platform no longer accepts an agent, its operator is notified. Moves that another run has carried out, or that
 * were canceled, are left alone. The agents' rows are locked first, in order.
 *
 * @returns `left` is the number of agents that left
 */
export async function carryOutMoves(
  db: Db,
  leaving: readonly Leaving[],
  now: Date,
): Promise<{ left: number; deliveries: Publication[] | null }> {
  const { ctes, gone, deliveries } = depart(
    sql`select a.*, i.score from jsonb_to_recordset(${jsonb(leaving)}) as i (id uuid, score jsonb)
        join agents a on a.id = i.id where a.platform_leaves_at <= ${timestamptz(now)} order by a.id for no key update of a`,
    now,
  )
  const rejectedMoves = sql`
        select operator_id, reg, name || ' could not join ' || next_slug as title,
          'It left its platform, as you requested, and is now on none: ' || case rejection
            when 'retired' then next_slug || ' is retired.'
            when 'removed' then next_slug || ' removed it within the last 30 days.'
            else next_slug || ' does not accept agents at the moment.' end as body
        from ${gone} where rejection <> 'deactivated'`
  const result = await db.execute<{ left: number; deliveries: Publication[] | null }>(sql`
    with ${ctes}
    select (select count(*) from ${gone})::integer as left, ${deliveries} as deliveries,
      ${notifyOperators('platform_membership', rejectedMoves, now)} as notified`)
  return result.rows[0] ?? { left: 0, deliveries: null }
}
