import { and, eq, gt, sql } from 'drizzle-orm'
import { audit } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { agents, platform_removals, platforms } from '../db/schema.ts'
import { isFound, transaction } from '../db/transaction.ts'
import { notify } from '../notifications/store.ts'
import { publicationsOf } from '../webhooks/outbox/store.ts'
import type { OwnPlatform } from '../wire/own-platform.ts'
import { isOwn } from '../wire/own-platform-store.ts'
import { addDeparture } from './departure-store.ts'
import type { FoundChangeable } from './found-store.ts'
import { barredBefore, type Departure } from './membership.ts'
import { removalNotice } from './notices.ts'

/**
 * Writes that a platform has removed an agent, which joins the next one, if it does. It cannot join this one again for a
 * while; the operators of both have audit rows, and that of the agent is notified.
 *
 * @returns the deliveries of the webhook events
 */
export async function writeRemoval(
  db: Db,
  { id: platform_id, slug, operator_id: host_id }: OwnPlatform & { id: string },
  found: FoundChangeable,
  departure: Departure,
  now: Date,
) {
  const { id: agent_id, operator_id, agent } = found
  const removed_at = now.toISOString()
  const write = transaction(db)
  const emitted = addDeparture(db, write, found, departure, now)
  write.still(isFound(db, platforms, and(eq(platforms.id, platform_id), eq(platforms.status, 'active'))))
  write.add(
    db
      .insert(platform_removals)
      .values({ agent_id, platform_id, removed_at })
      .onConflictDoUpdate({
        target: [platform_removals.agent_id, platform_removals.platform_id],
        set: { removed_at },
      }),
  )
  const entries = [
    { operator_id: host_id, action: 'platform.agent_removed', target: `${slug}/${agent.reg}` },
    { operator_id, action: 'agent.removed_from_platform', target: agent.reg },
  ] as const
  write.add(audit(db, entries, now))
  write.add(notify(db, removalNotice(found, slug, departure, now), now))
  await write.run()
  return publicationsOf(emitted)
}

/**
 * When an operator's platform last removed an agent that is not on it.
 *
 * @returns `removed_at` is null if it was not removed within the time that a removal bars it; null without such a platform
 */
export async function findRemoval(db: Db, own: OwnPlatform, reg: string, now: Date) {
  const { removed_at } = platform_removals
  const isBarred = and(
    eq(platform_removals.platform_id, platforms.id),
    eq(platform_removals.agent_id, agents.id),
    gt(removed_at, barredBefore(now).toISOString()),
  )
  const isElsewhere = sql`${agents.platform_id} is distinct from ${platforms.id}`
  const [row = null] = await db
    .select({ status: platforms.status, removed_at })
    .from(platforms)
    .leftJoin(agents, and(eq(agents.reg, reg), isElsewhere))
    .leftJoin(platform_removals, isBarred)
    .where(isOwn(own))
  return row
}
