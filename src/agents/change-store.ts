import { and, eq, lt, not, type SQL, sql } from 'drizzle-orm'
import { takeAllowance } from '../allowances/store.ts'
import { audit } from '../audit/store.ts'
import { AGENT_COLUMNS } from '../db/agent-columns.ts'
import type { Db } from '../db/client.ts'
import type { Tier } from '../db/enums.ts'
import { agent_stats, agents, operators, platforms } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'
import { QUOTAS } from '../db/tiers.ts'
import { differs, isFound, only, type Transaction, transaction } from '../db/transaction.ts'
import type { Actor } from '../http/context.ts'
import { utcDay } from '../lib/time.ts'
import { membershipEvents } from '../members/events-store.ts'
import { type FoundChangeable, placeOf } from '../members/found-store.ts'
import { acceptsAgents, clearPlatformCounts } from '../members/membership-store.ts'
import { emit, publicationsOf } from '../webhooks/outbox/store.ts'
import { overDailyQuota, rejectedToday } from '../wire/quota.ts'
import type { ChangePlan } from './change-plan.ts'

/**
 * Writes a planned change of an agent, with audit rows and webhook events. A deactivation frees a place in the quota of
 * active agents and is never refused.
 *
 * @returns the agent as changed, and the deliveries of its events
 * @throws ApiError RATE_LIMITED at the daily quota of changes
 */
export async function writeChange(
  db: Db,
  { tier }: Pick<Actor, 'tier'>,
  found: FoundChangeable,
  plan: ChangePlan,
  now: Date,
) {
  const { id, operator_id } = found
  const write = transaction(db)
  const stats = eq(agent_stats.agent_id, id)
  write.unchanged(agents, placeOf(found), sameTextsDiffer(plan))
  if (plan.counts && !plan.deactivates) {
    requireChangeLeft(db, write, id, tier, now)
    // An operator may have any number of deactivated agents.
    if (found.agent.status !== 'active') takeAllowance(write, { operator_id, tier }, 'changes', now)
  }
  if (plan.target_id) {
    write.lock(platforms, eq(platforms.id, plan.target_id), 'share')
    write.still(acceptsAgents(db, plan.target_id))
  }
  if (plan.deactivates) {
    write.lock(agent_stats, stats)
    write.lock(operators, eq(operators.id, operator_id))
    write.add(
      db
        .update(operators)
        .set({ active_agents: sql`${operators.active_agents} - 1` })
        .where(eq(operators.id, operator_id)),
    )
    write.add(db.update(agent_stats).set({ deactivated: true }).where(stats))
  }
  if (plan.joins) {
    takeAllowance(write, { operator_id, tier }, 'moves', now) // or its platforms' quota could be cleared again and again
    clearPlatformCounts(db, write, id)
  }
  const changed = write.add(
    db
      .update(agents)
      .set({
        ...plan.set,
        ...(plan.counts && changeCounted(now)),
        ...(plan.deactivates && { deactivated_at: endOf(db, id, now) }),
      })
      .where(and(eq(agents.id, id), eq(agents.operator_id, operator_id)))
      .returning({ id: agents.id, ...AGENT_COLUMNS }),
  )
  const actions = plan.actions.map((action) => ({ operator_id, action, target: found.agent.reg }))
  write.add(audit(db, actions, now))
  const announced = [...plan.changed, ...(plan.leaves ? ['platform_slug'] : [])]
  const emitted = write.add(emit(db, membershipEvents(found, { ...plan, changed: announced }, now), now))
  await write.run()
  return { agent: only(changed), deliveries: publicationsOf(emitted) }
}

const changesOf = (now: Date) => sql`of_today(${agents.changed_day}, ${utcDay(now)}::date, ${agents.changes})`

/** Refuses a write at the daily quota of changes to an agent, whose row it has locked. */
export function requireChangeLeft(
  db: Db,
  write: Pick<Transaction<never>, 'require'>,
  agentId: string,
  tier: Tier,
  now: Date,
): void {
  const quota = QUOTAS[tier].changes_per_day
  write.require(
    isFound(db, agents, and(eq(agents.id, agentId), lt(changesOf(now), quota))),
    rejectedToday(overDailyQuota('changes_per_day', quota, 'changes to an agent'), now),
  )
}

/** Columns of an agent that count a change of it. */
export const changeCounted = (now: Date) => ({
  changed_day: sql`greatest(${agents.changed_day}, ${utcDay(now)}::date)`,
  changes: sql`${changesOf(now)} + 1`,
})

/**
 * Whether exactly those of the given texts differ that did when the change was decided: if another request has set one of
 * them to the same value since, there is less to write and to announce.
 */
function sameTextsDiffer({ texts, changed }: ChangePlan): SQL | undefined {
  const still = Object.entries(texts).map(([name, text]) => {
    const isOther = differs(agents[name as keyof typeof texts], text)
    return changed.includes(name as keyof typeof texts) ? isOther : not(isOther)
  })
  return and(...still)
}

/** The end of an agent, never before its registration, last event, or last score, should the clock have gone back. */
function endOf(db: Db, id: string, now: Date) {
  const last = db
    .select({
      at: sql`greatest(${agent_stats.last_active_at}, ${agent_stats.scored_day}::timestamp at time zone 'utc')`,
    })
    .from(agent_stats)
    .where(eq(agent_stats.agent_id, id))
  return sql`greatest(${timestamptz(now)}, ${agents.registered_at}, (${last}))`
}
