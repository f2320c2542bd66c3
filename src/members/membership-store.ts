import { and, eq, exists, type SQL, sql } from 'drizzle-orm'
import { alias, type PgColumn } from 'drizzle-orm/pg-core'
import type { Db } from '../db/client.ts'
import { agent_stats, operators, platform_removals, platforms } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'
import type { Transaction } from '../db/transaction.ts'
import { toIso } from '../lib/time.ts'
import { barredBefore, type Target } from './membership.ts'

/**
 * The membership of an agent as its operator sees it: an object with the fields of `Membership`.
 *
 * @param agent a row with `platform_id, platform_state, platform_leaves_at, next_platform_id`
 */
export function shownMembership(agent: SQL): SQL {
  return sql`(select jsonb_build_object('platform_name', public_platform_name(p, k), 'platform_slug', p.slug,
        'platform_state', ${shownState(sql`p`, sql`${agent}.platform_state`)},
        'platform_leaves_at', wire_time(${agent}.platform_leaves_at), 'next_platform_slug', n.slug)
      from (values (1)) one left join platforms p on p.id = ${agent}.platform_id
      left join operators k on k.id = p.operator_id
      left join platforms n on n.id = ${agent}.next_platform_id)`
}

/** The public state of a membership; null without a platform. */
export function shownState(platform: SQL, state: SQL): SQL {
  return sql`case ${platform}.status when 'retired' then 'retired' else ${state} end`
}

/** A platform that an agent is to join, and its operator, as statements join them. */
export const target = alias(platforms, 'target')
export const targetOperator = alias(operators, 'target_operator')

/**
 * The columns of a `Target`, for a statement that joins `target` and `targetOperator`.
 *
 * @param agent the id of the agent
 */
export function targetOf(agent: SQL | PgColumn, now: Date) {
  const { agent_id, platform_id, removed_at } = platform_removals
  const removals = sql`(select ${removed_at} from ${platform_removals} where ${platform_id} = ${target.id}
    and ${agent_id} = ${agent} and ${removed_at} > ${timestamptz(barredBefore(now))})`
  return {
    id: target.id,
    slug: target.slug,
    name: sql<string>`public_platform_name(${target}, ${targetOperator})`,
    status: target.status,
    established_at: target.established_at,
    operator_id: target.operator_id,
    operator_status: targetOperator.status,
    removed_at: removals.mapWith((time: string | null) => time && toIso(time)),
  }
}

/** The platform that an agent is to join; null if there is none. */
export async function findTarget(db: Db, slug: string, agentId: string, now: Date): Promise<Target | null> {
  const rows = await db
    .select(targetOf(sql`${agentId}::uuid`, now))
    .from(target)
    .innerJoin(targetOperator, eq(targetOperator.id, target.operator_id))
    .where(eq(target.slug, slug))
  return rows[0] ?? null
}

/** Adds that an agent joins a platform: reports of the previous one must not use up its daily quota. */
export function clearPlatformCounts(
  db: Db,
  write: Pick<Transaction<never>, 'lock' | 'add'>,
  agentId: string,
): void {
  const stats = eq(agent_stats.agent_id, agentId)
  write.lock(agent_stats, stats)
  write.add(db.update(agent_stats).set({ platform_events: 0, platform_bytes: 0 }).where(stats))
}

/** Whether a platform accepts agents, as a requirement; lock its row. */
export function acceptsAgents(db: Db, platformId: string): SQL {
  return exists(
    db
      .select({ id: platforms.id })
      .from(platforms)
      .innerJoin(operators, eq(operators.id, platforms.operator_id))
      .where(
        and(eq(platforms.id, platformId), eq(platforms.status, 'active'), eq(operators.status, 'active')),
      ),
  )
}
