import { and, desc, eq, isNull, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { notifications } from '../db/schema.ts'
import { offsetOf, type Page } from '../http/page.ts'

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
