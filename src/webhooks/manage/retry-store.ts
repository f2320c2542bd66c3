import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { operators, platforms, webhook_deliveries } from '../../db/schema.ts'
import { Stale } from '../../db/transaction.ts'
import type { OwnPlatform } from '../../wire/own-platform.ts'
import { isOwn } from '../../wire/own-platform-store.ts'
import type { Delivery } from './responses.ts'
import { itemOf } from './store.ts'
import { targetColumns } from './target-store.ts'

const { id, platform_id, status, lease_until, next_attempt_at, publish_count, attempts, type } =
  webhook_deliveries

/** A delivery to a platform of the operator, and whether an attempt is in progress; null if there is none. */
export async function findRetryable(db: Db, own: OwnPlatform, delivery: string, now: Date) {
  const [row] = await db
    .select({
      target: targetColumns(now),
      item: sql<Delivery>`${itemOf(sql`${webhook_deliveries}`)}`,
      is_leased: sql<boolean>`${lease_until} is not null`,
    })
    .from(platforms)
    .innerJoin(operators, eq(operators.id, platforms.operator_id))
    .innerJoin(webhook_deliveries, and(eq(platform_id, platforms.id), eq(id, delivery)))
    .where(isOwn(own))
  return row ?? null
}

/**
 * Reschedules the next attempt of a pending delivery for now. Its number stays the same, so that only one of the two
 * messages, for the old and the new time, can claim it. The publish count increases, so that QStash does not discard the
 * new message as a duplicate.
 *
 * @returns what to publish
 * @throws Stale if it is not waiting any more
 */
export async function moveAttempt(db: Db, delivery: string, now: Date) {
  const at = now.toISOString()
  const [moved] = await db
    .update(webhook_deliveries)
    .set({ next_attempt_at: at, published_at: null, publish_count: sql`${publish_count} + 1` })
    .where(and(eq(id, delivery), eq(status, 'pending'), isNull(lease_until), gt(next_attempt_at, at)))
    .returning({ type, attempt: sql<number>`${attempts} + 1`, publish_count })
  if (!moved) throw new Stale()
  return moved
}
