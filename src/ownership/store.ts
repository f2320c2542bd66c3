import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { takeAllowance } from '../allowances/store.ts'
import { audit } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { agents, ownership_challenges, sessions } from '../db/schema.ts'
import { jsonb } from '../db/sql.ts'
import { isFound, transaction } from '../db/transaction.ts'
import type { Actor } from '../http/context.ts'
import { uuidv7 } from '../lib/ids.ts'
import { newEvent } from '../webhooks/outbox/events.ts'
import { emit, publicationsOf } from '../webhooks/outbox/store.ts'
import { agentNotFound, foreignAgent } from '../wire/agent-number.ts'
import type { Proof } from './proof.ts'

export type Challenge = typeof ownership_challenges.$inferSelect

/** The pending and the verified challenge of an agent; both null if the agent belongs to another operator. */
export interface Ownership {
  owned: boolean
  pending: Challenge | null
  verified: Challenge | null
}

// A unique index per alias: each has at most one row per agent.
const pending = alias(ownership_challenges, 'pending')
const verified = alias(ownership_challenges, 'verified')

const isPending = and(isNull(ownership_challenges.verified_at), isNull(ownership_challenges.ended_at))

/** The query for the challenges of an operator's agent. */
export function ownershipQuery(db: Db, reg: string, operatorId: SQL | string) {
  const owned = sql<boolean>`coalesce(${agents.operator_id} = ${operatorId}::uuid, false)`
  return db
    .select({ owned, pending, verified })
    .from(agents)
    .leftJoin(
      pending,
      and(eq(pending.agent_id, agents.id), isNull(pending.verified_at), isNull(pending.ended_at), owned),
    )
    .leftJoin(
      verified,
      and(
        eq(verified.agent_id, agents.id),
        isNotNull(verified.verified_at),
        isNull(verified.ended_at),
        owned,
      ),
    )
    .where(eq(agents.reg, reg))
}

/** The challenges of an agent, as visible to the operator of a session; null if there is no such agent. */
export async function findOwnership(db: Db, reg: string, sessionId: string): Promise<Ownership | null> {
  const operatorId = sql`(select ${sessions.operator_id} from ${sessions} where ${sessions.id} = ${sessionId})`
  const [ownership] = await ownershipQuery(db, reg, operatorId)
  return ownership ?? null
}

/**
 * Stores a challenge for an agent of this operator, replacing the pending one. A verified domain remains verified.
 *
 * @throws ApiError NOT_FOUND; FORBIDDEN if the agent belongs to another operator; RATE_LIMITED at the daily quota
 */
export async function putChallenge(
  db: Db,
  caller: Pick<Actor, 'operator_id' | 'tier'>,
  { reg, domain, method, token }: Proof,
  expiresAt: Date,
  now: Date,
): Promise<void> {
  const isOwn = and(eq(agents.reg, reg), eq(agents.operator_id, caller.operator_id))
  const [created_at, expires_at] = [now.toISOString(), expiresAt.toISOString()]
  const set = { id: uuidv7(now), domain, method, token, created_at, expires_at }
  const agent_id = sql`(${db.select({ id: agents.id }).from(agents).where(isOwn)})`
  const write = transaction(db)
  write.require(isFound(db, agents, eq(agents.reg, reg)), agentNotFound(reg))
  write.require(isFound(db, agents, isOwn), foreignAgent(reg))
  takeAllowance(write, caller, 'changes', now)
  write.add(
    db
      .insert(ownership_challenges)
      .values({ ...set, agent_id })
      .onConflictDoUpdate({
        target: ownership_challenges.agent_id,
        targetWhere: sql`verified_at is null and ended_at is null`,
        set: { ...set, checked_at: null, finding: null },
      }),
  )
  await write.run()
}

/** Stores what a check found instead of the proof of a pending challenge. */
export async function recordMiss(db: Db, challengeId: string, finding: string, now: Date): Promise<void> {
  await db
    .update(ownership_challenges)
    .set({ checked_at: now.toISOString(), finding })
    .where(and(eq(ownership_challenges.id, challengeId), isPending))
}

/**
 * Cancels the pending challenge of this operator's agent. A verified domain remains verified.
 *
 * @returns false if there is none, or the agent belongs to another operator
 */
export async function endChallenge(db: Db, reg: string, operatorId: string, now: Date): Promise<boolean> {
  const agent = sql`(select id from agents where reg = ${reg} and operator_id = ${operatorId}::uuid)`
  const ended = await db
    .update(ownership_challenges)
    .set({ ended_at: now.toISOString() })
    .where(and(eq(ownership_challenges.agent_id, agent), isPending))
  return ended.rowCount > 0
}

/**
 * Marks the pending challenge of an operator's agent as verified, replacing the previously verified one, with an audit row
 * and a webhook event.
 *
 * @returns the deliveries of the event; or that the challenge is no longer pending, and nothing was written
 */
export async function recordProof(
  db: Db,
  { reg, operator_id }: { reg: string; operator_id: string },
  { id, agent_id, domain, method }: Challenge,
  now: Date,
) {
  const write = transaction<'NOT_PENDING'>(db)
  const at = now.toISOString()
  const { id: challengeId, verified_at, ended_at } = ownership_challenges
  const isVerified = and(isNotNull(verified_at), isNull(ended_at))
  const isOwn = and(eq(agents.id, agent_id), eq(agents.operator_id, operator_id))

  write.lock(agents, isOwn)
  write.lock(ownership_challenges, eq(challengeId, id))
  write.require(isFound(db, agents, isOwn), 'NOT_PENDING')
  write.require(isFound(db, ownership_challenges, and(eq(challengeId, id), isPending)), 'NOT_PENDING')
  write.add(
    db
      .update(ownership_challenges)
      .set({ ended_at: at })
      .where(and(eq(ownership_challenges.agent_id, agent_id), isVerified)),
  )
  write.add(
    db
      .update(ownership_challenges)
      .set({ verified_at: at, checked_at: at, finding: null })
      .where(eq(challengeId, id)),
  )
  write.add(
    db.update(agents).set({ ownership_status: 'verified', ownership_verified_at: at, domain }).where(isOwn),
  )
  write.add(audit(db, [{ operator_id, action: 'ownership.verified', target: reg }], now))
  const head = newEvent('agent.ownership_verified', now)
  const data = jsonb({ reg, domain, method, verified_at: at })
  const emitted = write.add(emit(db, [{ head, agent: { agent_id }, data }], now))
  const refusal = await write.run()
  return refusal ? { refusal } : { deliveries: publicationsOf(emitted) }
}
