import { and, asc, eq, getTableColumns, gte, inArray, isNotNull, isNull, lte, sql } from 'drizzle-orm'
import { auditEach } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { agents, ownership_challenges } from '../db/schema.ts'
import { transaction } from '../db/transaction.ts'
import { notifyOperators } from '../notifications/store.ts'
import type { Proof } from './proof.ts'
import { MISSES_MAX, recheckBefore } from './terms.ts'

const { id, agent_id, domain, method, token, verified_at, checked_at, misses, ended_at } =
  getTableColumns(ownership_challenges)

/** A proof whose next check is due. */
export type DueProof = Proof & Pick<typeof ownership_challenges.$inferSelect, 'id'>

/** Proofs are drawn from this many that are longest overdue, so that a run never reads an entire backlog. */
const DRAWN_FROM = 10_000

const isDue = (now: Date) =>
  and(isNotNull(verified_at), isNull(ended_at), lte(checked_at, recheckBefore(now).toISOString()))

/**
 * Proofs whose last check is a week old, in random order: a proof that the resolver fails on stays due, and must not block
 * the others.
 */
export async function findDueProofs(db: Db, now: Date, limit: number): Promise<DueProof[]> {
  const due = db
    .select({ id, agent_id, domain, method, token })
    .from(ownership_challenges)
    .where(isDue(now))
    .orderBy(asc(checked_at))
    .limit(DRAWN_FROM)
    .as('due')
  const drawn = db.select().from(due).orderBy(sql`random()`).limit(limit).as('drawn')
  return db
    .select({
      id: drawn.id,
      reg: agents.reg,
      domain: drawn.domain,
      method: drawn.method,
      token: drawn.token,
    })
    .from(drawn)
    .innerJoin(agents, eq(agents.id, drawn.agent_id))
}

/**
 * Records checks of proofs, in one transaction. Finding a proof resets its misses; the third miss in a row ends the proof,
 * makes the agent unverified, and notifies its operator. Proofs that are no longer due, because another run has checked
 * them or they have ended, are left unchanged.
 *
 * @param checks the ids of the proofs by what was found
 * @returns `checked` is the number of checks recorded, `lost` the number of agents that are now unverified
 */
export async function recordRechecks(
  db: Db,
  checks: Record<'found' | 'missed', readonly string[]>,
  now: Date,
): Promise<{ checked: number; lost: number }> {
  if (checks.found.length + checks.missed.length === 0) return { checked: 0, lost: 0 }
  const proofs = inArray(id, [...checks.found, ...checks.missed])
  const at = now.toISOString()
  const ended = and(inArray(id, checks.missed), eq(ended_at, at), gte(misses, MISSES_MAX))
  const lost = and(
    eq(agents.ownership_status, 'verified'),
    inArray(agents.id, db.select({ agent_id }).from(ownership_challenges).where(ended)),
  )
  const write = transaction(db)
  write.lock(agents, inArray(agents.id, db.select({ agent_id }).from(ownership_challenges).where(proofs)))
  write.lock(ownership_challenges, proofs)
  const found = write.add(
    db
      .update(ownership_challenges)
      .set({ checked_at: at, misses: 0 })
      .where(and(inArray(id, checks.found), isDue(now)))
      .returning({ id }),
  )
  const missed = write.add(
    db
      .update(ownership_challenges)
      .set({
        checked_at: at,
        misses: sql`${misses} + 1`,
        ended_at: sql`case when ${misses} + 1 >= ${MISSES_MAX}::integer then ${at}::timestamptz end`,
      })
      .where(and(inArray(id, checks.missed), isDue(now)))
      .returning({ id }),
  )
  write.add(
    auditEach(
      db,
      'ownership.lost',
      agents,
      { operator_id: agents.operator_id, target: agents.reg, where: lost },
      now,
    ),
  )
  const notices = sql`select operator_id, reg, 'Domain no longer verified: ' || domain as title,
    'Three weekly checks in a row did not find the proof, so ' || name
      || ' is now unverified. Create a new challenge to verify the domain again.' as body
    from ${agents} where ${lost}`
  write.add(db.execute(sql`select ${notifyOperators('ownership_lost', notices, now)}`))
  const unverified = write.add(
    db
      .update(agents)
      .set({ ownership_status: 'unverified', ownership_verified_at: null, domain: null })
      .where(lost)
      .returning({ id: agents.id }),
  )
  await write.run()
  return { checked: found.result.length + missed.result.length, lost: unverified.result.length }
}
