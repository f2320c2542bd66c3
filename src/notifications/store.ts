import { and, desc, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import type { NotificationType } from '../db/enums.ts'
import { notifications } from '../db/schema.ts'
import { jsonb, timestamptz } from '../db/sql.ts'
import { uuidv7 } from '../lib/ids.ts'
import { LIST_DEPTH, limitsOf, type Page } from '../wire/page.ts'

/**
 * An expression that stores notifications and queues their mails, as far as the operators' settings and quotas allow (SQL
 * function notify_operators). Its value is how many were stored.
 *
 * @param rows selects `operator_id, title, body, reg` (may be null), without operators that have switched off this type; if
 * the texts are those of an incident, also `incident_id` and whether it is `critical`
 */
export function notifyOperators(type: NotificationType, rows: SQL, now: Date): SQL<number> {
  return stored(type, sql`(select jsonb_agg(to_jsonb(n)) from (${rows}) n)`, now)
}

/** A notification of an operator that has not switched off its type; its texts are not those of an incident. */
export type Notice = Pick<
  typeof notifications.$inferSelect,
  'operator_id' | 'type' | 'title' | 'body' | 'reg'
>

/** A statement of a transaction that stores a notification and queues its mail; null without one. */
export function notify(db: Db, notice: Notice | null, now: Date) {
  if (!notice) return null
  const { type, ...row } = notice
  return db.execute(sql`select ${stored(type, jsonb([row]), now)}`)
}

function stored(type: NotificationType, notices: SQL, now: Date): SQL<number> {
  return sql`notify_operators(${type}, ${notices}, ${uuidv7(now)}::uuid, ${timestamptz(now)})`
}

const { operator_id, incident_id, critical, ...SHOWN } = getTableColumns(notifications)

/** Maximum of notifications marked by one statement: updating a million rows would exceed a request's deadline. */
export const MARKED_MAX = 20_000

/**
 * A page of an operator's notifications, newest first, with their number and the number of unread ones: both at most
 * `LIST_DEPTH`, where the list ends.
 */
export async function listNotifications(db: Db, operatorId: string, page: Page) {
  const mine = eq(operator_id, operatorId)
  const { limit, offset } = limitsOf(page)
  const counted = (condition: SQL | undefined) =>
    sql<number>`(select count(*) from (
      select from ${notifications} where ${condition} limit ${LIST_DEPTH}::integer) n)::integer`
  const [data, { rows }] = await db.batch([
    db
      .select(SHOWN)
      .from(notifications)
      .where(mine)
      .orderBy(desc(notifications.created_at), desc(notifications.id))
      .limit(limit)
      .offset(offset),
    db.execute<{ total: number; unread_count: number }>(sql`
      select ${counted(mine)} as total, ${counted(and(mine, isNull(notifications.read_at)))} as unread_count`),
  ])
  return { data, ...(rows[0] ?? { total: 0, unread_count: 0 }) }
}

/**
 * Marks unread notifications of an operator as read, at most `MARKED_MAX`.
 *
 * @returns the number of notifications marked
 */
export async function markAll(db: Db, operatorId: string, now: Date): Promise<number> {
  const unread = db
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(eq(operator_id, operatorId), isNull(notifications.read_at)))
    .limit(MARKED_MAX)
  const { rowCount } = await db
    .update(notifications)
    .set({ read_at: now.toISOString() })
    .where(and(isNull(notifications.read_at), sql`${notifications.id} = any (array${unread})`))
  return rowCount
}

/**
 * Marks a notification of an operator as read; one that is already read keeps its time.
 *
 * @returns the notification; null if the operator has no such notification
 */
export async function markOne(db: Db, operatorId: string, id: string, now: Date) {
  const rows = await db
    .update(notifications)
    .set({ read_at: sql`coalesce(${notifications.read_at}, ${timestamptz(now)})` })
    .where(and(eq(notifications.id, id), eq(operator_id, operatorId)))
    .returning(SHOWN)
  return rows[0] ?? null
}
