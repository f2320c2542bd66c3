import { and, eq, inArray, lte } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { agents, platforms } from '../db/schema.ts'
import { type Transaction, transaction } from '../db/transaction.ts'
import { notify } from '../notifications/store.ts'
import { emit, publicationsOf } from '../webhooks/outbox/store.ts'
import { membershipEvents } from './events-store.ts'
import { type FoundChangeable, findChangeables, placeOf } from './found-store.ts'
import { type Departure, toColumns } from './membership.ts'
import { acceptsAgents, clearPlatformCounts } from './membership-store.ts'
import { rejectionNotice } from './notices.ts'

/** Agents whose notice is over, longest overdue first; or only this one, if its notice is over. */
export function findLeaving(db: Db, now: Date, limit: number, id?: string): Promise<FoundChangeable[]> {
  const isOver = lte(agents.platform_leaves_at, now.toISOString())
  return findChangeables(db, and(isOver, id === undefined ? undefined : eq(agents.id, id)), now, limit)
}

/**
 * Writes that an agent whose notice is over has left its platform.
 *
 * @returns the deliveries of the webhook events
 */
export async function writeMove(db: Db, found: FoundChangeable, departure: Departure, now: Date) {
  const write = transaction(db)
  const emitted = addDeparture(db, write, found, departure, now)
  write.add(notify(db, rejectionNotice(found, departure), now))
  await write.run()
  return publicationsOf(emitted)
}

/**
 * Adds that an agent has left its platform and joined the next one, if it does; both are notified.
 *
 * @returns the statement that sends the events
 */
export function addDeparture(
  db: Db,
  write: Transaction<never>,
  found: FoundChangeable,
  { placement }: Departure,
  now: Date,
) {
  const { id } = found
  const joined = placement.platform
  write.unchanged(agents, placeOf(found))
  const concerned = [found.placement.platform, joined].flatMap((platform) => platform?.id ?? [])
  write.lock(platforms, inArray(platforms.id, concerned), 'share')
  if (joined) {
    write.still(acceptsAgents(db, joined.id))
    clearPlatformCounts(db, write, id)
  }
  write.add(db.update(agents).set(toColumns(placement)).where(eq(agents.id, id)))
  const events = membershipEvents(found, { changed: ['platform_slug'], joins: joined !== null }, now)
  return write.add(emit(db, events, now))
}
