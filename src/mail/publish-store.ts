import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { mails } from '../db/schema.ts'
import { jsonb, republishAt, timestamptz } from '../db/sql.ts'
import { EXPIRES_AFTER_HOURS } from './schedule.ts'

const GRACE_SECONDS = 30 // time for QStash's own retry of an interrupted attempt
const PAGE = 1_000

/** An attempt to schedule with QStash. */
export type MailPublication = Pick<typeof mails.$inferSelect, 'publish_count'> & {
  mail_id: string
  attempt: number
  due_at: string
}

/**
 * Pending mails that QStash does not have or has had for too long, and mails whose attempt was interrupted (that attempt is
 * published again, and the relay settles it). Critical ones
 * come first, and digests last, because all of them are created at once.
 */
export async function findUnpublishedMails(db: Db, now: Date, limit: number): Promise<MailPublication[]> {
  const at = timestamptz(now)
  const { published_at, lease_until } = mails
  const result = await db.execute<MailPublication>(sql`
    select id as mail_id, publish_count, next_attempt_at as due_at,
      case when ${lease_until} is null then attempts + 1 else attempts end as attempt
    from mails
    where status = 'pending' and (${lease_until} is null or ${lease_until} < ${at} - make_interval(secs => ${GRACE_SECONDS}::integer))
      and (${published_at} is null or ${republishAt(mails)} < ${at} at time zone 'utc')
    order by not critical, type = 'weekly_digest', next_attempt_at limit ${limit}::integer`)
  return result.rows
}

/** Marks attempts as published to QStash, unless they have already begun. */
export async function markMailsPublished(
  db: Db,
  publications: readonly MailPublication[],
  now: Date,
): Promise<void> {
  await db.execute(sql`
    update mails m set published_at = ${timestamptz(now)}, publish_count = m.publish_count + 1
    from (
      select locked.id, p.attempt from jsonb_to_recordset(${jsonb(publications)}) as p (mail_id uuid, attempt integer)
      join mails locked on locked.id = p.mail_id order by locked.id for no key update of locked
    ) p
    where m.id = p.id and m.status = 'pending'
      and (m.attempts = p.attempt - 1 or m.attempts = p.attempt and m.lease_until < ${timestamptz(now)})`)
}

/**
 * Fails mails that have waited too long, at most a page: claiming them would fail anyway, so they are not published.
 *
 * @returns the number of mails
 */
export async function expireMails(db: Db, now: Date): Promise<number> {
  const { rowCount } = await db.execute(sql`
    update mails set status = 'failed', error = 'expired'
    where id in (
      select id from mails where status = 'pending' and next_attempt_at <= ${timestamptz(now)} - make_interval(hours => ${EXPIRES_AFTER_HOURS}::integer)
      order by next_attempt_at limit ${PAGE}::integer for update skip locked)`)
  return rowCount
}

/**
 * Deletes pending mails, at most a page; used if no mail provider is configured.
 *
 * @returns the number of mails
 */
export async function dropMails(db: Db): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from mails where id in (
      select id from mails where status = 'pending' order by next_attempt_at limit ${PAGE}::integer)`)
  return rowCount
}
