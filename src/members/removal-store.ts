import { sql } from 'drizzle-orm'
import { barredBefore, barredUntil } from '../agents/membership.ts'
import type { ShownScore } from '../agents/profile.ts'
import { auditRows } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import type { platforms } from '../db/schema.ts'
import { jsonb, timestamptz, wireTime } from '../db/sql.ts'
import { notifyOperators } from '../notifications/store.ts'
import type { Publication } from '../webhooks/outbox/store.ts'
import type { OwnPlatform } from '../wire/own-platform.ts'
import { depart } from './departure-store.ts'
import { ownPlatform } from './store.ts'

export type Removed = {
  status: (typeof platforms.$inferSelect)['status']
  /** When the agent was last removed; null if it was not removed within the time that a removal bars it. */
  removed_at: string | null
}

/**
 * Removes an agent from an operator's platform, with its webhook events, audit rows, and notification, in one atomic round
 * trip. The first statement locks the agent's row, so that concurrent removals, confirmations, and moves see each other.
 *
 * @param agent its number, and its score for the events
 * @returns the state of the removal; null if the operator has no such platform
 */
export async function removeMember(
  db: Db,
  platform: OwnPlatform,
  { reg, score }: { reg: string; score: ShownScore },
  now: Date,
): Promise<(Removed & { deliveries: Publication[] | null }) | null> {
  const until = barredUntil(now).toISOString()
  const member = sql`a.reg = ${reg} and a.platform_id = p.id and p.status = 'active'`
  const { ctes, gone, deliveries } = depart(
    sql`select a.*, ${jsonb(score)} as score from agents a, platform p where ${member} for no key update of a`,
    now,
  )
  const actions = sql`
        select p.operator_id, p.slug || '/' || g.reg as target, 'platform.agent_removed' as action from ${gone} g, platform p
        union all select operator_id, reg, 'agent.removed_from_platform' from ${gone}`
  const removal = sql`
        select g.operator_id, g.reg, g.name || ' was removed from ' || p.slug as title,
          'The platform ended the membership. The agent cannot join ' || p.slug || ' again before '
            || to_char(${until}::timestamptz at time zone 'utc', 'YYYY-MM-DD HH24:MI') || ' UTC.'
            || case when g.to_id is not null then ' It joined ' || g.next_slug || ', as you requested.' else '' end as body
        from ${gone} g, platform p`
  const [, written, found] = await db.batch([
    db.execute(sql`
      with ${ownPlatform(platform)} select from agents a, platform p where ${member} for no key update of a`),
    db.execute<{ deliveries: Publication[] | null }>(sql`
      with ${ownPlatform(platform)}, ${ctes}, barred as (
        insert into platform_removals (agent_id, platform_id, removed_at)
        select g.id, p.id, ${timestamptz(now)} from ${gone} g, platform p
        on conflict (agent_id, platform_id) do update set removed_at = excluded.removed_at
      ), recorded as (${auditRows(actions, sql`action`, now)})
      select ${deliveries} as deliveries, ${notifyOperators('platform_membership', removal, now)} as notified`),
    db.execute<Removed>(sql`
      with ${ownPlatform(platform)}
      select p.status, (select ${wireTime(sql`r.removed_at`)} from platform_removals r join agents a on a.id = r.agent_id
        where r.platform_id = p.id and a.reg = ${reg} and a.platform_id is distinct from p.id
          and r.removed_at > ${timestamptz(barredBefore(now))}) as removed_at
      from platform p`),
  ])
  const row = found.rows[0]
  return row ? { ...row, deliveries: written.rows[0]?.deliveries ?? null } : null
}
