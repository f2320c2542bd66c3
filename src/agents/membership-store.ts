import { type SQL, sql } from 'drizzle-orm'
import { timestamptz, wireTime } from '../db/sql.ts'
import { barredBefore, leavesAt } from './membership.ts'

/**
 * The membership of an agent as its operator sees it: an object with the fields of `Membership`.
 *
 * @param agent a row with `platform_id, platform_state, platform_leaves_at, next_platform_id`
 */
export function shownMembership(agent: SQL): SQL {
  return sql`(select jsonb_build_object('platform_name', p.name, 'platform_slug', p.slug,
        'platform_state', ${shownState(sql`p`, sql`${agent}.platform_state`)},
        'platform_leaves_at', ${wireTime(sql`${agent}.platform_leaves_at`)}, 'next_platform_slug', n.slug)
      from (values (1)) one left join platforms p on p.id = ${agent}.platform_id
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

/** Fragments of a statement that changes an agent: what happens to its membership. */
export interface Move {
  /** Common table expressions; the last one is `held`: the row of the agent, unless a platform rejects it. */
  held: SQL
  /** A row with the new membership: `to_id, to_state, to_since, to_leaves_at, to_next_id, moves, joins`. */
  row: SQL
  /** A column: `{rejection, removed_at}` if the move is rejected, else null. */
  rejected: SQL
}

/**
 * Moves an agent to another platform, or lets it leave its platform: immediately if it has none or a retired one, else
 * after the notice. Changing the target does not restart the notice; naming the current platform cancels the move.
 *
 * @param own selects the row of the agent, which must be locked before the statement, so that the statement sees a
 * removal that was committed just before
 * @param slug of the new platform; null to leave
 */
export function moveTo(own: SQL, slug: string | null, now: Date): Move {
  const stays = sql`t.id is not distinct from h.platform_id`
  return {
    held: sql`locked as materialized (${own}), ${targets(sql`p.slug = ${slug}::text`)}, ask as (
      select h.id as agent_id, t.id as target_id, ${stays} as stays, ${joiningState(sql`h`, sql`t`)} as state,
        h.platform_id is null or c.status = 'retired' as at_once, h.platform_leaves_at, h.next_platform_id,
        h.platform_id, h.platform_state, h.platform_since, ${removedAt(sql`h`, sql`t`, now)} as removed_at,
        case when ${slug}::text is not null and t.id is null then 'unknown_platform'
          when not (${stays}) then ${rejection(sql`h`, sql`t`, now)} end as rejection
      from locked h left join targets t on true left join platforms c on c.id = h.platform_id
    ), move as materialized (
      select to_id, to_state, to_since, to_leaves_at, to_next_id, to_id is not null and to_id is distinct from platform_id as joins,
        (to_id, to_leaves_at, to_next_id) is distinct from (platform_id, platform_leaves_at, next_platform_id) as moves
      from ask cross join lateral (
        select platform_id as to_id, platform_state as to_state, platform_since as to_since,
          null::timestamptz as to_leaves_at, null::uuid as to_next_id where stays
        union all
        select target_id, case when target_id is not null then state end,
          case when target_id is not null then ${timestamptz(now)} end, null, null where not stays and at_once
        union all
        select platform_id, platform_state, platform_since, coalesce(platform_leaves_at, ${timestamptz(leavesAt(now))}),
          target_id where not stays and not at_once
      ) after where rejection is null
    ), held as materialized (
      select l.* from locked l where exists (select from move)
    )`,
    row: sql`move`,
    rejected: sql`(select jsonb_build_object('rejection', rejection, 'removed_at', ${wireTime(sql`removed_at`)})
        from ask where rejection is not null)`,
  }
}

/** The same fragments for a statement that does not change the membership. */
export function stayPut(own: SQL): Move {
  return {
    held: sql`held as materialized (${own})`,
    row: sql`(select platform_id as to_id, platform_state as to_state, platform_since as to_since,
          platform_leaves_at as to_leaves_at, next_platform_id as to_next_id, false as moves, false as joins from held) stay`,
    rejected: sql`null::jsonb`,
  }
}
