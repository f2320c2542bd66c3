import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import type { mails, notifications, operators } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'
import { CLAIM_MS, EXPIRES_AFTER_HOURS } from './schedule.ts'
import type { Held } from './text.ts'

const HELD_MAX = 10_000 // notifications of the week that are looked at
const HELD_LINES = 21 // one more than a mail shows

export type Claim = Pick<
  typeof mails.$inferSelect,
  'status' | 'attempts' | 'lease_until' | 'operator_id' | 'type'
> &
  Pick<typeof notifications.$inferSelect, 'title' | 'body' | 'reg'> &
  Pick<typeof operators.$inferSelect, 'email'> & {
    claimed: boolean
    agent_name: string | null
    /** Of a digest: what else its operator was notified of in that week, and not sent; null for other mails. */
    held: Held[] | null
  }

/**
 * Claims attempt n of a mail if it is the next one: from then on it belongs to the caller for the lease. What its operator
 * does not want any more is skipped instead, and what is too old to be sent once has failed.
 *
 * @returns the state after the claim, and whether this call made it; null when there is no such mail
 */
export async function claimMail(db: Db, id: string, attempt: number, now: Date): Promise<Claim | null> {
  const at = timestamptz(now)
  const leaseUntil = timestamptz(new Date(now.getTime() + CLAIM_MS))
  const next = sql`case when m.created_at <= ${at} - make_interval(hours => ${EXPIRES_AFTER_HOURS}::integer) then 'failed'
        when o.status = 'active' and o.mail_refused_at is null and m.type <> all (o.mail_unsubscribed) then 'pending'
        else 'skipped' end`
  // Being called proves that it was published, also when nobody could write that down: its id is used up.
  const result = await db.execute<Claim>(sql`
    with due as (
      select m.id, ${next} as next from mails m join operators o on o.id = m.operator_id
      where m.id = ${id}::uuid
    ), claimed as (
      update mails m set status = due.next,
        attempts = case due.next when 'pending' then ${attempt}::smallint else m.attempts end,
        lease_until = case due.next when 'pending' then ${leaseUntil} end,
        next_attempt_at = case due.next when 'pending' then m.next_attempt_at end,
        error = case due.next when 'failed' then 'expired' else m.error end,
        published_at = null, publish_count = greatest(m.publish_count, 1)
      from due where m.id = due.id and m.status = 'pending' and m.lease_until is null
        and m.attempts = ${attempt}::smallint - 1
      returning m.id, m.status
    )
    select coalesce(c.status = 'pending', false) as claimed, coalesce(c.status, m.status) as status, m.attempts,
      m.lease_until, m.operator_id, m.type, n.title, n.body, n.reg, o.email,
      (select name from agents a where a.reg = n.reg) as agent_name,
      case m.type when 'weekly_digest' then (
        select coalesce(jsonb_agg(to_jsonb(h)), '[]') from (
          select type, reg, (select name from agents a where a.reg = left_out.reg) as agent_name, count(*)::integer as count
          from (
            select x.type, x.reg from notifications x
            where x.operator_id = m.operator_id and x.created_at >= week.began - interval '7 days'
              and x.created_at < week.began and x.type <> all (o.mail_unsubscribed) and x.type <> 'weekly_digest'
              and (select y.status from mails y where y.id = x.id) is distinct from 'sent'
            order by x.created_at desc limit ${HELD_MAX}::integer
          ) left_out
          group by type, reg order by count desc, type, reg limit ${HELD_LINES}::integer
        ) h) end as held
    from mails m
    join notifications n on n.id = m.id
    join operators o on o.id = m.operator_id
    cross join lateral (select date_trunc('week', n.created_at at time zone 'utc') at time zone 'utc' as began) week
    left join claimed c on c.id = m.id
    where m.id = ${id}::uuid`)
  return result.rows[0] ?? null
}
