import { and, eq, exists, gt, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { operators, platform_removals, platforms } from '../db/schema.ts'
import { timestamptz, wireTime } from '../db/sql.ts'
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
        'platform_leaves_at', ${wireTime(sql`${agent}.platform_leaves_at`)}, 'next_platform_slug', n.slug)
      from (values (1)) one left join platforms p on p.id = ${agent}.platform_id
      left join operators k on k.id = p.operator_id
      left join platforms n on n.id = ${agent}.next_platform_id)`
}

/** The public state of a membership; null without a platform. */
export function shownState(platform: SQL, state: SQL): SQL {
  return sql`case ${platform}.status when 'retired' then 'retired' else ${state} end`
}

/**
 * The common table expression `targets`: the platforms that agents will join, `id, operator_id, slug, name, status,
 * operator_status`. Their rows are locked, so that none is retired in the meantime.
 *
 * @param condition on the row `p` of the platform
 */
export function targets(condition: SQL): SQL {
  return sql`targets as materialized (
      select p.id, p.operator_id, p.slug, p.name, p.status, o.status as operator_status
      from platforms p join operators o on o.id = p.operator_id where ${condition} order by p.id for share of p
    )`
}

/** Why a platform of `targets` accepts no agents; null if it does. */
export function closedTo(target: SQL): SQL {
  return sql`case when ${target}.status = 'retired' then 'retired'
        when ${target}.operator_status <> 'active' then 'suspended' end`
}

/** Why an agent cannot join a platform of `targets`; null if it can, and without a platform. */
export function rejection(agent: SQL, target: SQL, now: Date): SQL {
  return sql`case when ${target}.id is null then null
        when ${agent}.status <> 'active' then 'deactivated'
        when ${removedAt(agent, target, now)} is not null then 'removed'
        else ${closedTo(target)} end`
}

/** When the platform removed the agent, if the agent cannot join it again yet; else null. */
export function removedAt(agent: SQL, target: SQL, now: Date): SQL {
  return sql`(select r.removed_at from platform_removals r where r.agent_id = ${agent}.id
        and r.platform_id = ${target}.id and r.removed_at > ${timestamptz(barredBefore(now))})`
}

/** The state in which an agent joins a platform: `confirmed` on a platform of its own operator. */
export function joiningState(agent: SQL, target: SQL): SQL {
  return sql`case ${target}.operator_id when ${agent}.operator_id then 'confirmed' else 'claimed' end`
}

/**
 * The common table expression `cleared`: resets the daily counts of platform reports for agents that join a platform,
 * so that reports of the previous platform do not use up its quota. Rows are locked in order of id, as in
 * `append_events`.
 *
 * @param joining selects the ids of the joining agents
 */
export function clearedCounts(joining: SQL): SQL {
  return sql`cleared as (
      update agent_stats s set platform_events = 0, platform_bytes = 0
      from (select agent_id from agent_stats where agent_id in (${joining}) order by agent_id for no key update) j
      where s.agent_id = j.agent_id
    )`
}

/** The platform that an agent is to join; null if there is none. */
export async function findTarget(db: Db, slug: string, agentId: string, now: Date): Promise<Target | null> {
  const { agent_id, platform_id, removed_at } = platform_removals
  const removals = db
    .select({ removed_at })
    .from(platform_removals)
    .where(
      and(
        eq(platform_id, platforms.id),
        eq(agent_id, agentId),
        gt(removed_at, barredBefore(now).toISOString()),
      ),
    )
  const rows = await db
    .select({
      id: platforms.id,
      slug: platforms.slug,
      name: sql<string>`public_platform_name(${platforms}, ${operators})`,
      status: platforms.status,
      operator_id: platforms.operator_id,
      operator_status: operators.status,
      removed_at: sql`(${removals})`.mapWith((time: string | null) => time && toIso(time)),
    })
    .from(platforms)
    .innerJoin(operators, eq(operators.id, platforms.operator_id))
    .where(eq(platforms.slug, slug))
  return rows[0] ?? null
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
