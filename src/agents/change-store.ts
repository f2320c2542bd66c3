import { and, eq, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { audit } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { agent_stats, agents, operators, platforms } from '../db/schema.ts'
import { jsonb, timestamptz } from '../db/sql.ts'
import { only, transaction, versionOf } from '../db/transaction.ts'
import { scoreBasis } from '../trust/store.ts'
import { newEvent } from '../webhooks/outbox/events.ts'
import { emit, type OutgoingEvent, publicationsOf } from '../webhooks/outbox/store.ts'
import type { ChangePlan } from './change-plan.ts'
import { acceptsAgents } from './membership-store.ts'
import type { ShownScore } from './profile.ts'
import { AGENT_COLUMNS, AGENT_COUNTERS } from './store.ts'

const next = alias(platforms, 'next_platform')
const keeper = alias(operators, 'keeper')

export type FoundChangeable = NonNullable<Awaited<ReturnType<typeof findChangeable>>>

/**
 * An agent, to decide a change from; null if there is none.
 *
 * @param today the current UTC day `YYYY-MM-DD`, which its score is of
 */
export async function findChangeable(db: Db, reg: string, today: string) {
  const [row] = await db
    .select({
      agent: {
        id: agents.id,
        ...AGENT_COLUMNS,
      },
      id: agents.id,
      version: versionOf(agents),
      operator_id: agents.operator_id,
      changed_day: agents.changed_day,
      changes: agents.changes,
      counters: AGENT_COUNTERS,
      basis: scoreBasis(today),
      placement: {
        state: agents.platform_state,
        since: agents.platform_since,
        leaves_at: agents.platform_leaves_at,
      },
      platform: {
        id: platforms.id,
        slug: platforms.slug,
        name: sql<string>`public_platform_name(${platforms}, ${keeper})`,
        status: platforms.status,
      },
      next: { id: next.id, slug: next.slug },
    })
    .from(agents)
    .innerJoin(agent_stats, eq(agent_stats.agent_id, agents.id))
    .leftJoin(platforms, eq(platforms.id, agents.platform_id))
    .leftJoin(keeper, eq(keeper.id, platforms.operator_id))
    .leftJoin(next, eq(next.id, agents.next_platform_id))
    .where(eq(agents.reg, reg))
  if (!row) return null
  const { placement, platform, next: later, ...found } = row
  return { ...found, placement: { ...placement, platform, next: later } }
}

/**
 * Writes a planned change of an agent, with audit rows and webhook events.
 *
 * @param score its score, for the events
 * @returns the agent as changed, and the deliveries of its events
 */
export async function writeChange(
  db: Db,
  found: FoundChangeable,
  plan: ChangePlan,
  score: ShownScore,
  now: Date,
) {
  const { id, operator_id } = found
  const write = transaction(db)
  const stats = eq(agent_stats.agent_id, id)
  write.unchanged(agents, found)
  if (plan.target_id) {
    write.lock(platforms, eq(platforms.id, plan.target_id), 'share')
    write.still(acceptsAgents(db, plan.target_id))
  }
  if (plan.deactivates || plan.joins) write.lock(agent_stats, stats)
  if (plan.deactivates) {
    write.lock(operators, eq(operators.id, operator_id))
    write.add(
      db
        .update(operators)
        .set({ active_agents: sql`${operators.active_agents} - 1` })
        .where(eq(operators.id, operator_id)),
    )
    write.add(db.update(agent_stats).set({ deactivated: true }).where(stats))
  }
  // A platform's reports must not use up the daily quota of the next platform.
  if (plan.joins)
    write.add(db.update(agent_stats).set({ platform_events: 0, platform_bytes: 0 }).where(stats))
  const changed = write.add(
    db
      .update(agents)
      .set({ ...plan.set, ...(plan.deactivates && { deactivated_at: endOf(db, id, now) }) })
      .where(and(eq(agents.id, id), eq(agents.operator_id, operator_id)))
      .returning({ id: agents.id, ...AGENT_COLUMNS }),
  )
  const actions = plan.actions.map((action) => ({ operator_id, action, target: found.agent.reg }))
  write.add(audit(db, actions, now))
  const emitted = write.add(emit(db, eventsOf(found, plan, score, now), now))
  await write.run()
  return { agent: only(changed), deliveries: publicationsOf(emitted) }
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

function eventsOf(
  { id, placement }: FoundChangeable,
  { changed, deactivates, joins }: ChangePlan,
  score: ShownScore,
  now: Date,
): OutgoingEvent[] {
  const payload = sql`agent_payload(${id}::uuid, ${jsonb(score)})`
  const events: OutgoingEvent[] = []
  if (placement.platform) {
    const agent = { platform_id: placement.platform.id, platform_state: placement.state }
    if (changed.length > 0) {
      const data = sql`${payload} || ${jsonb({ changed })}`
      events.push({ head: newEvent('agent.updated', now, 0), agent, data })
    }
    if (deactivates) events.push({ head: newEvent('agent.deactivated', now, 1), agent, data: payload })
  }
  if (joins)
    events.push({ head: newEvent('agent.registered', now, 2), agent: { agent_id: id }, data: payload })
  return events
}
