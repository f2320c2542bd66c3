import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import type { AgentStatus, Severity } from '../db/enums.ts'
import type { mails, notifications, operators } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'
import { utcDay } from '../lib/time.ts'
import type { ScoreBasis } from '../trust/basis.ts'
import { scoreBasis } from '../trust/store.ts'
import { CLAIM_MS, EXPIRES_AFTER_HOURS } from './schedule.ts'
import type { Held } from './text.ts'

export type Claim = Pick<
  typeof mails.$inferSelect,
  'status' | 'attempts' | 'lease_until' | 'operator_id' | 'type'
> &
  Pick<typeof notifications.$inferSelect, 'title' | 'body' | 'reg'> &
  Pick<typeof operators.$inferSelect, 'email'> & {
    claimed: boolean
    agent_name: string | null
    /** Of an incident alert: the severity of its incident, and what the standing of the agent is judged from. */
    incident: { severity: Severity; status: AgentStatus; basis: ScoreBasis } | null
    /** For a digest: the notifications of that week that were not mailed; null for other mails. */
    held: Held[] | null
  }

/**
 * Claims attempt n of a mail for the lease, if it is the next one. A mail that its operator no longer wants is skipped
 * instead, and a mail that is too old to be sent exactly once fails.
 *
 * @returns the state after the claim, and whether this call made it; null if there is no such mail
 */
export async function claimMail(db: Db, id: string, attempt: number, now: Date): Promise<Claim | null> {
  const at = timestamptz(now)
  const leaseUntil = timestamptz(new Date(now.getTime() + CLAIM_MS))
  const next = sql`case when m.created_at <= ${at} - make_interval(hours => ${EXPIRES_AFTER_HOURS}::integer) then 'failed'
        when o.status = 'active' and o.mail_refused_at is null and m.type <> all (o.mail_opt_outs) then 'pending'
        else 'skipped' end`
  // This call proves that the attempt was published, even if that was not recorded: its deduplication id is used up.
  const result = await db.execute<Claim>(sql`
    with claimed as (
      update mails m set status = due.next,
        attempts = case due.next when 'pending' then ${attempt}::smallint else m.attempts end,
        lease_until = case due.next when 'pending' then ${leaseUntil} end,
        error = case due.next when 'failed' then 'expired' else m.error end,
        published_at = null, publish_count = greatest(m.publish_count, 1)
      from (
        select m.id, ${next} as next from mails m join operators o on o.id = m.operator_id
        where m.id = ${id}::uuid
      ) due
      where m.id = due.id and m.status = 'pending' and m.lease_until is null
        and m.attempts = ${attempt}::smallint - 1
      returning m.id, m.status
    )
    select coalesce(c.status = 'pending', false) as claimed, coalesce(c.status, m.status) as status, m.attempts,
      m.lease_until, m.operator_id, m.type, n.title, n.body, n.reg, o.email,
      (select name from agents a where a.reg = n.reg) as agent_name,
      (select json_build_object('severity', i.severity, 'status', a.status,
          'basis', ${scoreBasis(utcDay(now), sql`a`)})
        from incidents i join agents a on a.id = i.agent_id where i.id = n.incident_id) as incident,
      case m.type when 'weekly_digest' then mail_held_back(m.operator_id, m.created_at) end as held
    from mails m
    join notifications n on n.id = m.id
    join operators o on o.id = m.operator_id
    left join claimed c on c.id = m.id
    where m.id = ${id}::uuid`)
  return result.rows[0] ?? null
}
