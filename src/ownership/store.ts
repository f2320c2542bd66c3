import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { audited } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import { agents, ownership_challenges, sessions } from '../db/schema.ts'
import { timestamptz, wireTime } from '../db/sql.ts'
import type { EventHead } from '../webhooks/outbox/events.ts'
import { eventColumns, type Publication, toOutbox } from '../webhooks/outbox/store.ts'
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
export function ownershipQuery(db: Db, reg: string, operatorId: SQL) {
  const owned = sql<boolean>`coalesce(${agents.operator_id} = ${operatorId}, false)`
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

export interface NewChallenge extends Proof {
  id: string
  operator_id: string
  expires_at: Date
  now: Date
}

/**
 * Stores a challenge for an agent of this operator, replacing the pending one. A verified domain remains verified.
 *
 * @returns whose agent it is; nothing is stored unless it is `own`
 */
export async function putChallenge(db: Db, challenge: NewChallenge): Promise<'own' | 'foreign' | 'unknown'> {
  const { id, reg, operator_id, domain, method, token, expires_at, now } = challenge
  const result = await db.execute<{ owned: boolean }>(sql`
    with agent as (
      select id, operator_id = ${operator_id}::uuid as owned from agents where reg = ${reg}
    ), put as (
      insert into ownership_challenges (id, agent_id, domain, method, token, created_at, expires_at)
      select ${id}::uuid, id, ${domain}, ${method}, ${token}, ${timestamptz(now)}, ${timestamptz(expires_at)}
      from agent where owned
      on conflict (agent_id) where verified_at is null and ended_at is null do update set id = excluded.id,
        domain = excluded.domain, method = excluded.method, token = excluded.token,
        created_at = excluded.created_at, expires_at = excluded.expires_at, checked_at = null, finding = null
    )
    select owned from agent`)
  const [agent] = result.rows
  if (!agent) return 'unknown'
  return agent.owned ? 'own' : 'foreign'
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

interface FoundProof {
  reg: string
  operator_id: string
  challenge_id: string
  event: EventHead
  now: Date
}

/**
 * Marks the challenge of an operator's agent as verified, replacing the previously verified one, with an audit row and
 * webhook event, in one atomic round trip. The agent's row is locked by the first statement, so that the second one sees
 * concurrent changes; if the challenge is no longer pending, nothing is changed and nobody is notified. The challenge's row
 * is locked, too: a challenge that is being replaced must not end the verified one.
 *
 * @returns the challenges of the agent afterward
 */
export async function recordProof(
  db: Db,
  { reg, operator_id, challenge_id, event, now }: FoundProof,
): Promise<{ ownership: Ownership | null; deliveries: Publication[] | null }> {
  const at = timestamptz(now)
  const owner = sql`${operator_id}::uuid`
  const outgoing = sql`
        select ${eventColumns(event)}, platform_id, platform_state, jsonb_build_object('reg', reg, 'domain', domain,
          'method', method, 'verified_at', ${wireTime(sql`verified_at`)}) as data
        from moved`
  const outbox = toOutbox(outgoing, now)
  const [, written, rows] = await db.batch([
    db.execute(sql`select from agents where reg = ${reg} and operator_id = ${owner} for no key update`),
    db.execute<{ deliveries: Publication[] | null }>(sql`
      with proof as materialized (
        select id, agent_id from ownership_challenges
        where id = ${challenge_id}::uuid and verified_at is null and ended_at is null
          and agent_id = (select id from agents where reg = ${reg} and operator_id = ${owner})
        for no key update
      ), ended as (
        update ownership_challenges c set ended_at = ${at} from proof
        where c.agent_id = proof.agent_id and c.verified_at is not null and c.ended_at is null
        returning c.id
      ), proven as (
        update ownership_challenges c set verified_at = ${at}, checked_at = ${at}, finding = null from proof
        where c.id = proof.id and (select count(*) from ended) >= 0
        returning c.agent_id, c.domain, c.method, c.verified_at
      ), moved as (
        update agents a set ownership_status = 'verified', ownership_verified_at = p.verified_at, domain = p.domain
        from proven p where a.id = p.agent_id
        returning a.reg, a.operator_id, a.platform_id, a.platform_state, p.domain, p.method, p.verified_at
      ), ${audited(sql`select operator_id, reg as target from moved`, 'ownership.verified', now)}, ${outbox.ctes}
      select ${outbox.pending} as deliveries`),
    ownershipQuery(db, reg, owner),
  ])
  return { ownership: rows[0] ?? null, deliveries: written.rows[0]?.deliveries ?? null }
}
