import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { eachUuid } from '../db/ids.ts'
import { notifications } from '../db/schema.ts'
import { offsetOf, type Page } from '../http/page.ts'
import { uuidv7 } from '../lib/ids.ts'

export type NotificationType = typeof notifications.$inferSelect.type

/**
 * A common table expression that notifies operators, in the statement of what they are told of; an operator whose
 * switch for it is off is to be left out before.
 *
 * @param from names a CTE with `operator_id`, `title`, `body` and `reg` (text, may be null): no row, no notification
 */
export function notified(from: SQL, type: NotificationType, now: Date): SQL {
  return sql`notified as (
      insert into notifications (id, operator_id, type, title, body, reg, created_at)
      select ${eachUuid(uuidv7(now))}, operator_id, ${type}, title, body, reg, ${now.toISOString()}::timestamptz
      from ${from} on conflict do nothing
    )`
}

const SHOWN = {
  id: notifications.id,
  type: notifications.type,
  title: notifications.title,
  body: notifications.body,
  reg: notifications.reg,
  read_at: notifications.read_at,
  created_at: notifications.created_at,
}

/** A page of an operator's notifications, newest first, with how many there are and how many are unread. */
export async function listNotifications(db: Db, operatorId: string, page: Page) {
  const mine = eq(notifications.operator_id, operatorId)
  const [data, [counted]] = await db.batch([
    db
      .select(SHOWN)
      .from(notifications)
      .where(mine)
      .orderBy(desc(notifications.created_at), desc(notifications.id))
      .limit(page.per_page)
      .offset(offsetOf(page)),
    db
      .select({
        total: sql<number>`count(*)::integer`,
        unread_count: sql<number>`(count(*) filter (where ${notifications.read_at} is null))::integer`,
      })
      .from(notifications)
      .where(mine),
  ])
  return { data, total: counted?.total ?? 0, unread_count: counted?.unread_count ?? 0 }
}

/**
 * Marks all unread notifications of an operator as read.
 *
 * @returns how many were unread
 */
export async function readAll(db: Db, operatorId: string, now: Date): Promise<number> {
  const rows = await db
    .update(notifications)
    .set({ read_at: now.toISOString() })
    .where(and(eq(notifications.operator_id, operatorId), isNull(notifications.read_at)))
    .returning({ id: notifications.id })
  return rows.length
}

/**
 * Marks a notification of an operator as read; one that is read already keeps its time.
 *
 * @returns the notification; null when the operator has no such
 */
export async function readOne(db: Db, operatorId: string, id: string, now: Date) {
  const rows = await db
    .update(notifications)
    .set({ read_at: sql`coalesce(${notifications.read_at}, ${now.toISOString()}::timestamptz)` })
    .where(and(eq(notifications.id, id), eq(notifications.operator_id, operatorId)))
    .returning(SHOWN)
  return rows[0] ?? null
}
