import { sql } from 'drizzle-orm'
import { auditRows } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import type { ownership_challenges } from '../db/schema.ts'
import { jsonb, timestamptz } from '../db/sql.ts'
import { notifyOperators } from '../notifications/store.ts'
import type { Proof } from './proof.ts'
import { MISSES_MAX, recheckBefore } from './terms.ts'

/** A proof whose next check is due; `checked_at` is the time of the last one. */
export type DueProof = Proof & Pick<typeof ownership_challenges.$inferSelect, 'id'> & { checked_at: string }

/** Proofs are drawn from this many that are longest overdue, so that a run never reads an entire backlog. */
const DRAWN_FROM = 10_000

/**
 * Proofs whose last check is a week old, in random order: a proof that the resolver fails on stays due, and must not block
 * the others.
 */
export async function findDueProofs(db: Db, now: Date, limit: number): Promise<DueProof[]> {
  const result = await db.execute<DueProof>(sql`
    with due as materialized (
      select id, agent_id, domain, method, token, checked_at from ownership_challenges
      where verified_at is not null and ended_at is null
        and checked_at <= ${timestamptz(recheckBefore(now))}
      order by checked_at limit ${DRAWN_FROM}::integer
    ), drawn as materialized (
      select * from due order by random() limit ${limit}::integer
    )
    select d.id, a.reg, d.domain, d.method, d.token, d.checked_at from drawn d join agents a on a.id = d.agent_id`)
  return result.rows
}

export type Recheck = Pick<DueProof, 'id' | 'checked_at'> & { found: boolean }

/**
 * Records checks of proofs, in one atomic round trip. Finding a proof resets its misses; the third miss in a row ends the
 * proof, makes the agent unverified, and notifies its operator. Proofs that another run has checked, or that have ended, are
 * left unchanged. The agents' rows are locked first, in order.
 *
 * @returns `checked` is the number of checks recorded, `lost` the number of proofs that ended
 */
export async function recordRechecks(
  db: Db,
  rechecks: readonly Recheck[],
  now: Date,
): Promise<{ checked: number; lost: number }> {
  if (rechecks.length === 0) return { checked: 0, lost: 0 }
  const at = timestamptz(now)
  const input = sql`jsonb_to_recordset(${jsonb(rechecks)})
    as i (id uuid, checked_at timestamptz, found boolean)`
  const [, result] = await db.batch([
    db.execute(sql`
      select from agents where id in (select agent_id from ownership_challenges c join ${input} on i.id = c.id)
      order by id for no key update`),
    db.execute<{ checked: number; lost: number }>(sql`
      with rechecked as (
        update ownership_challenges c set checked_at = ${at},
          misses = case when i.found then 0 else c.misses + 1 end,
          ended_at = case when not i.found and c.misses + 1 >= ${MISSES_MAX}::integer then ${at} end
        from ${input} where c.id = i.id and c.checked_at = i.checked_at and c.ended_at is null
        returning c.agent_id, c.domain, c.ended_at
      ), lost as (
        update agents a set ownership_status = 'unverified', ownership_verified_at = null, domain = null
        from rechecked l where a.id = l.agent_id and l.ended_at is not null
        returning a.operator_id, a.reg, 'Domain no longer verified: ' || l.domain as title,
          'Three weekly checks in a row did not find the proof, so ' || a.name
            || ' is now unverified. Create a new challenge to verify the domain again.' as body
      ), recorded as (${auditRows(sql`select operator_id, reg as target from lost`, 'ownership.lost', now)})
      select (select count(*)::integer from rechecked) as checked,
        ${notifyOperators('ownership_lost', sql`select * from lost`, now)} as lost`),
  ])
  return result.rows[0] ?? { checked: 0, lost: 0 }
}
