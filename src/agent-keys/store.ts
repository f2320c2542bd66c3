import { and, desc, eq, gt, isNull, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { changeCounted, requireChangeLeft } from '../agents/change-store.ts'
import { takeAllowance } from '../allowances/store.ts'
import { audit } from '../audit/store.ts'
import type { Db } from '../db/client.ts'
import type { KeyReason, KeyStatus } from '../db/enums.ts'
import { agent_keys, agents } from '../db/schema.ts'
import { jsonb, timestamptz } from '../db/sql.ts'
import { isFound, only, type Transaction, transaction } from '../db/transaction.ts'
import type { Actor } from '../http/context.ts'
import { utcDay } from '../lib/time.ts'
import type { FoundChangeable } from '../members/found-store.ts'
import { notify } from '../notifications/store.ts'
import { shownScore } from '../trust/shown.ts'
import { findStated } from '../verify/store.ts'
import { newEvent } from '../webhooks/outbox/events.ts'
import { emit, publicationsOf } from '../webhooks/outbox/store.ts'
import { LIST_DEPTH, limitsOf, type Page } from '../wire/page.ts'
import { addedNotice, revokedNotice } from './notices.ts'

export const KEYS_MAX = 5

const { kid, agent_id, reg, x, added_at, expires_at, revoked_at, reason } = agent_keys

export type ShownKey = Awaited<ReturnType<typeof selectKeys>>[number]

/** Whether a key is neither revoked nor expired. */
export const isValid = (now: Date) =>
  and(isNull(revoked_at), or(isNull(expires_at), gt(expires_at, now.toISOString())))

const selectKeys = (db: Db, which: SQL | undefined, now: Date) =>
  db
    .select({
      kid,
      reg,
      alg: sql<'ed25519'>`'ed25519'`,
      x,
      status: sql<KeyStatus>`case when ${revoked_at} is not null then 'revoked' when ${expires_at} <= ${timestamptz(now)} then 'expired' else 'active' end`,
      added_at,
      expires_at,
      revoked_at,
      reason,
      log: sql<{ added: number | null; revoked: number | null }>`agent_key_leaves(${kid})`,
    })
    .from(agent_keys)
    .where(which)

/** A key of any agent, or null. */
export async function findAgentKey(db: Db, id: string, now: Date): Promise<ShownKey | null> {
  return (await selectKeys(db, eq(kid, id), now))[0] ?? null
}

/** What the token of a key states: the key, its agent, and the newest signed head of the log; each null if there is none. */
export async function findKeyStatement(db: Db, id: string, now: Date) {
  const ofReg = sql`(${db.select({ reg }).from(agent_keys).where(eq(kid, id))})`
  const [key, stated] = await Promise.all([findAgentKey(db, id, now), findStated(db, ofReg, utcDay(now))])
  return { key, ...stated }
}

/** A page of the keys of an agent, newest first, and their number, at most `LIST_DEPTH`; null if there is no such agent. */
export async function listAgentKeys(db: Db, ofReg: string, page: Page, now: Date) {
  const { limit, offset } = limitsOf(page)
  const its = eq(agent_id, sql`(${db.select({ id: agents.id }).from(agents).where(eq(agents.reg, ofReg))})`)
  const [data, { rows }] = await db.batch([
    selectKeys(db, its, now).orderBy(desc(added_at), desc(kid)).limit(limit).offset(offset),
    db.execute<{ total: number }>(sql`
      select (select count(*) from (select from ${agent_keys} where ${its} limit ${LIST_DEPTH}::integer) k)::integer as total
      from agents where reg = ${ofReg}`),
  ])
  return rows[0] ? { data, total: rows[0].total } : null
}

/** The valid keys of an agent as JWKs, none if it is deactivated or its operator suspended; null if there is no such agent. */
export async function findKeySet(db: Db, ofReg: string, now: Date): Promise<object[] | null> {
  const seconds = (time: SQLWrapper) => sql`floor(extract(epoch from ${time}))::bigint`
  const { rows } = await db.execute<{ keys: object[] | null }>(sql`
    select (
      select json_agg(json_strip_nulls(json_build_object('kty', 'OKP', 'crv', 'Ed25519', 'x', ${x}, 'kid', ${kid}, 'use', 'sig',
        'alg', 'EdDSA', 'nbf', ${seconds(added_at)}, 'exp', ${seconds(expires_at)})) order by ${added_at}, ${kid})
      from ${agent_keys} where ${reg} = a.reg and ${isValid(now)} and a.status = 'active' and o.status = 'active'
    ) as keys
    from agents a join operators o on o.id = a.operator_id where a.reg = ${ofReg}`)
  return rows[0] ? (rows[0].keys ?? []) : null
}

export type NewKey = Pick<typeof agent_keys.$inferSelect, 'kid' | 'x' | 'expires_at'>

/**
 * Stores a key of an agent, and tells its operator and its platform.
 *
 * @returns why nothing was stored, or the key and the deliveries of its event
 */
export async function insertAgentKey(db: Db, caller: Actor, found: FoundChangeable, key: NewKey, now: Date) {
  const write = transaction<'DEACTIVATED' | 'KNOWN' | 'TOO_MANY_KEYS'>(db)
  const { id, operator_id, agent } = found
  const own = and(eq(kid, key.kid), eq(agent_id, id))
  write.lock(agents, eq(agents.id, id))
  write.require(isFound(db, agents, and(eq(agents.id, id), eq(agents.status, 'active'))), 'DEACTIVATED')
  write.require(sql`not ${isFound(db, agent_keys, eq(kid, key.kid))}`, 'KNOWN')
  const valid = db.$count(agent_keys, and(eq(agent_id, id), isValid(now)))
  write.require(sql`${valid} < ${KEYS_MAX}::integer`, 'TOO_MANY_KEYS')
  requireChangeLeft(db, write, id, caller.tier, now)
  takeAllowance(write, { operator_id, tier: caller.tier }, 'changes', now)
  // Another agent may be registering the same key.
  write.add(
    db
      .insert(agent_keys)
      .values({ ...key, agent_id: id, reg: agent.reg, added_at: now.toISOString() })
      .onConflictDoNothing(),
  )
  write.requireAfter(isFound(db, agent_keys, own), 'KNOWN')
  write.add(db.update(agents).set(changeCounted(now)).where(eq(agents.id, id)))
  write.add(audit(db, [{ operator_id, action: 'agent_key.added', target: key.kid }], now))
  write.add(notify(db, addedNotice(found, key.kid), now))
  return finish(db, write, found, key.kid, now)
}

/**
 * Revokes a key of an agent permanently, and tells its operator and its platform.
 *
 * @returns why nothing was changed, or the key and the deliveries of its event
 */
export async function writeRevocation(db: Db, found: FoundChangeable, id: string, why: KeyReason, now: Date) {
  const write = transaction<'NO_UNREVOKED_KEY'>(db)
  const { operator_id } = found
  const own = and(eq(kid, id), eq(agent_id, found.id), isNull(revoked_at))
  write.lock(agents, eq(agents.id, found.id))
  write.require(isFound(db, agent_keys, own), 'NO_UNREVOKED_KEY')
  const at = sql`greatest(${timestamptz(now)}, ${added_at})` // should the clock have gone back
  write.add(db.update(agent_keys).set({ revoked_at: at, reason: why }).where(own))
  write.add(audit(db, [{ operator_id, action: 'agent_key.revoked', target: id }], now))
  write.add(notify(db, revokedNotice(found, id, why), now))
  return finish(db, write, found, id, now)
}

/** Adds the event for the platform of the agent, runs the transaction, and returns the key. */
async function finish<Code extends string>(
  db: Db,
  write: Transaction<Code>,
  { id, basis }: FoundChangeable,
  keyId: string,
  now: Date,
) {
  const data = sql`agent_payload(${id}::uuid, ${jsonb(shownScore(basis))}) || ${jsonb({ changed: ['keys'] })}`
  const event = { head: newEvent('agent.updated', now), agent: { agent_id: id }, data }
  const emitted = write.add(emit(db, [event], now))
  const after = write.add(selectKeys(db, eq(kid, keyId), now))
  const refusal = await write.run()
  return refusal ? { refusal } : { key: only(after), deliveries: publicationsOf(emitted) }
}
