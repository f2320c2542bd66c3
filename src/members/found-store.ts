import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { AGENT_COLUMNS, AGENT_COUNTERS } from '../db/agent-columns.ts'
import type { Db } from '../db/client.ts'
import { agent_stats, agents, operators, platforms } from '../db/schema.ts'
import { utcDay } from '../lib/time.ts'
import { scoreBasis } from '../trust/store.ts'
import { type Target, toColumns } from './membership.ts'
import { target, targetOf, targetOperator } from './membership-store.ts'

const keeper = alias(operators, 'keeper')

export type FoundChangeable = NonNullable<Awaited<ReturnType<typeof findChangeable>>>

/** An agent, to decide a change from; null if there is none. */
export async function findChangeable(db: Db, reg: string, now: Date) {
  const [found = null] = await findChangeables(db, eq(agents.reg, reg), now, 1)
  return found
}

/** Agents, to decide changes from, at most `limit`: those first whose notice ends first. */
export async function findChangeables(db: Db, which: SQL | undefined, now: Date, limit: number) {
  const rows = await db
    .select({
      agent: {
        id: agents.id,
        ...AGENT_COLUMNS,
      },
      id: agents.id,
      operator_id: agents.operator_id,
      stats: AGENT_COUNTERS,
      basis: scoreBasis(utcDay(now)),
      placement: {
        state: agents.platform_state,
        since: agents.platform_since,
        leaves_at: agents.platform_leaves_at,
      },
      platform: {
        id: platforms.id,
        slug: platforms.slug,
        operator_id: platforms.operator_id,
        name: sql<string>`public_platform_name(${platforms}, ${keeper})`,
        status: platforms.status,
        established_at: platforms.established_at,
      },
      next: targetOf(agents.id, now),
    })
    .from(agents)
    .innerJoin(agent_stats, eq(agent_stats.agent_id, agents.id))
    .leftJoin(platforms, eq(platforms.id, agents.platform_id))
    .leftJoin(keeper, eq(keeper.id, platforms.operator_id))
    .leftJoin(target, eq(target.id, agents.next_platform_id))
    .leftJoin(targetOperator, eq(targetOperator.id, target.operator_id))
    .where(which)
    .orderBy(agents.platform_leaves_at)
    .limit(limit)
  return rows.map(({ placement, platform, next, ...found }) => ({
    ...found,
    placement: { ...placement, platform, next: next.id === null ? null : (next as Target) },
  }))
}

/** What a change of an agent's membership is decided from. */
export function placeOf({ id, agent: { status }, placement }: FoundChangeable) {
  return { id, status, ...toColumns(placement) }
}
