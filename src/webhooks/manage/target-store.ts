import { eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import { operators, platforms, type webhook_deliveries } from '../../db/schema.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { OwnPlatform } from '../../wire/own-platform.ts'
import { isOwn } from '../../wire/own-platform-store.ts'
import type { Publication } from '../outbox/store.ts'
import { hasAttemptsLeft, UNRESPONSIVE_PER_DAY } from '../outbox/unresponsive-store.ts'

const { id, status, webhook_url, webhook_status, operator_id } = platforms

/** The reason why nothing can be sent to a platform. */
export type Closed = 'retired' | 'no_url' | 'disabled' | 'paused'

/** A platform as the target of webhooks. */
export type Target = Awaited<ReturnType<typeof selectTarget>>[number]

/** The statement for a platform of the operator as the target of a test event: no row if there is none. */
export function selectTarget(db: Db, own: OwnPlatform, now: Date) {
  return db
    .select(targetColumns(now, UNRESPONSIVE_PER_DAY))
    .from(platforms)
    .innerJoin(operators, eq(operators.id, operator_id))
    .where(isOwn(own))
}

/** The columns of a target, of `platforms` joined with `operators`. */
export function targetColumns(now: Date, max?: number) {
  return {
    id,
    status,
    webhook_url,
    webhook_status,
    operator_id,
    tier: operators.tier,
    host: sql<string | null>`webhook_host(${webhook_url})`,
    has_attempts_left: sql<boolean>`${hasAttemptsLeft(sql`${platforms}`, sql`${operators}`, now, max)}`,
  }
}

/** Why nothing can be sent to a platform; null if it can. */
export function closedOf(target: Target): Closed | null {
  if (target.status === 'retired') return 'retired'
  if (target.webhook_url === null) return 'no_url'
  if (target.webhook_status !== 'enabled') return 'disabled'
  return target.has_attempts_left ? null : 'paused'
}

/** Requires that a target has not changed since it was read. */
export function requireSameTarget(write: Transaction<never>, target: Target): void {
  const { id, status, webhook_url, webhook_status } = target
  write.unchanged(platforms, { id, status, webhook_url, webhook_status })
}

/** A new delivery that is due, as it is published. */
export function publicationOf(
  { tier, host, operator_id }: Target,
  { id, type }: Pick<typeof webhook_deliveries.$inferSelect, 'id' | 'type'>,
): Publication {
  return { delivery_id: id, operator_id, tier, host, type, attempt: 1, publish_count: 0 }
}
