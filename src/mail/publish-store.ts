import { and, asc, eq, inArray, isNull, lte, or, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { mails } from '../db/schema.ts'
import { hoursBefore } from '../lib/time.ts'
import { EXPIRES_AFTER_HOURS, MESSAGE_LIFE_HOURS } from './schedule.ts'

const PAGE = 1_000

const isPending = eq(mails.status, 'pending')

/** A mail to hand over to QStash. */
export type MailPublication = Awaited<ReturnType<typeof findUnpublishedMails>>[number]

/**
 * Pending mails that QStash does not have, or has given up. Critical ones come first, and digests last, because all of them
 * are created at once.
 */
export function findUnpublishedMails(db: Db, now: Date, limit: number) {
  const isGone = lte(mails.published_at, hoursBefore(now, MESSAGE_LIFE_HOURS).toISOString())
  return db
    .select({ mail_id: mails.id, published_at: mails.published_at })
    .from(mails)
    .where(and(isPending, or(isNull(mails.published_at), isGone)))
    .orderBy(sql`not ${mails.critical}`, sql`${mails.type} = 'weekly_digest'`, asc(mails.created_at))
    .limit(limit)
}

/** Marks mails as published to QStash. */
export async function markMailsPublished(db: Db, ids: string[], now: Date): Promise<void> {
  const inOrder = db
    .select({ id: mails.id })
    .from(mails)
    .where(and(isPending, inArray(mails.id, ids)))
    .orderBy(mails.id)
    .for('no key update')
  await db
    .update(mails)
    .set({ published_at: now.toISOString() })
    .where(sql`${mails.id} = any (array${inOrder})`)
}

/**
 * Fails mails that have waited too long, at most a page: they would fail anyway, so they are not published.
 *
 * @returns the number of mails
 */
export async function expireMails(db: Db, now: Date): Promise<number> {
  const old = db
    .select({ id: mails.id })
    .from(mails)
    .where(and(isPending, lte(mails.created_at, hoursBefore(now, EXPIRES_AFTER_HOURS).toISOString())))
    .orderBy(mails.created_at)
    .limit(PAGE)
    .for('update', { skipLocked: true })
  const { rowCount } = await db
    .update(mails)
    .set({ status: 'failed', error: 'expired' })
    .where(sql`${mails.id} = any (array${old})`)
  return rowCount
}

/**
 * Deletes pending mails, at most a page; used if no mail provider is configured.
 *
 * @returns the number of mails
 */
export async function dropMails(db: Db): Promise<number> {
  const some = db.select({ id: mails.id }).from(mails).where(isPending).orderBy(mails.created_at).limit(PAGE)
  const { rowCount } = await db.delete(mails).where(sql`${mails.id} = any (array${some})`)
  return rowCount
}
