import { and, eq, notExists, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { unmetRequirement } from '../db/errors.ts'
import { idempotency_keys } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'
import { QUOTAS } from '../db/tiers.ts'
import { Stale } from '../db/transaction.ts'
import type { Actor } from '../http/context.ts'
import { HOUR_MS, utcDay } from '../lib/time.ts'
import { overDailyQuota, rejectedToday } from '../wire/quota.ts'

const KEPT_HOURS = 24
const QUOTA_USED_UP = 'STORED_RESPONSES' // required by begin_repeatable

/** A request with an Idempotency-Key, or a form of the console. */
export interface Repeatable {
  /** Whose quota of bytes the stored response counts against, if it is one to reports. */
  actor: Pick<Actor, 'operator_id' | 'tier'>
  /** SHA-256 of caller, method, path and key; of a form, of the operator and the nonce of its page. */
  scope: string
  /** SHA-256 of the raw bytes of the body; empty for a form. */
  body_sha256: string
  now: Date
}

/** The result of a call that was not repeatable: only a repeated one has none. */
export function made<T>(result: T | null): T {
  if (result === null) throw new Error('a call without a key was taken for a repeated one')
  return result
}

/** The stored first response to a request. */
export type Prior = Pick<typeof idempotency_keys.$inferSelect, 'body_sha256' | 'answer'>

/**
 * Makes the fragments for a statement that writes once per Idempotency-Key, however often it is sent: the common table
 * expressions `first` and `keep`, which stores the response, to be placed before and after the others; `unseen`, the
 * condition under which the statement may write; and `prior`, a column with the first response or null.
 *
 * @param repeatable null if the request has no key: then they are empty, and the statement always writes
 * @param responseOf selects one row with `answer` (jsonb) if the statement has written, else no row
 */
export function once(repeatable: Repeatable | null, responseOf: () => SQL) {
  if (!repeatable) return { first: sql``, unseen: sql`true`, keep: sql``, prior: sql`null::jsonb` }
  const { actor, scope, body_sha256, now } = repeatable
  return {
    first: sql`prior as materialized (
      select body_sha256, answer from idempotency_keys where scope = ${scope} and created_at > ${validSince(now)}
    ), `,
    unseen: sql`not exists (select from prior)`,
    keep: sql`, kept as (
      insert into idempotency_keys (scope, body_sha256, answer, created_at)
      select ${scope}, ${body_sha256}, answer, ${timestamptz(now)} from (${responseOf()}) acted
      where not exists (select from prior)
      on conflict (scope) do update set body_sha256 = excluded.body_sha256, answer = excluded.answer, created_at = excluded.created_at
      returning octet_length(answer::text) as bytes
    ), used as (
      insert into idempotency_usage as u (operator_id, share, day, bytes)
      select ${actor.operator_id}::uuid, left(${scope}, 1), ${utcDay(now)}::date, bytes from kept
      on conflict (operator_id, share) do update set day = greatest(u.day, excluded.day),
        bytes = of_today(u.day, excluded.day, u.bytes) + excluded.bytes
    )`,
    prior: sql`(select to_jsonb(prior) from prior)`,
  }
}

/**
 * The requirement of a write that runs once per Idempotency-Key: no response is stored under it. The write must lock a
 * row that all requests of the caller lock, so that a concurrent repeat waits, and then does not meet it.
 *
 * @param repeatable null if the request has no key: then it is always met
 */
export function isFirst(db: Db, repeatable: Repeatable | null): SQL {
  return repeatable ? notExists(selectPrior(db, repeatable)) : sql`true`
}

/**
 * A statement of a transaction that stores the response of a write which requires `isFirst`; null without a key. It does
 * not count toward the quota of bytes: each such write takes a change or registration of the day, and its response is at
 * most as long as an agent (30 KB).
 *
 * @param answer the response as jsonb, read after the statements before
 */
export function keepAnswer(db: Db, repeatable: Repeatable | null, answer: SQL) {
  if (!repeatable) return null
  const { scope, body_sha256, now } = repeatable
  const row = { body_sha256, answer, created_at: now.toISOString() }
  return db
    .insert(idempotency_keys)
    .values({ scope, ...row })
    .onConflictDoUpdate({ target: idempotency_keys.scope, set: row })
}

/**
 * The stored response to the first of repeated requests.
 *
 * @throws Stale if it has just been deleted, as by a clock that is ahead: the request is then the first again
 */
export async function requirePrior(db: Db, repeatable: Repeatable | null): Promise<Prior> {
  const prior = await findPrior(db, repeatable)
  if (!prior) throw new Stale()
  return prior
}

/** The stored response to the first of repeated requests; null if this one is the first. */
export async function findPrior(db: Db, repeatable: Repeatable | null): Promise<Prior | null> {
  const [prior = null] = repeatable ? await selectPrior(db, repeatable) : []
  return prior
}

function selectPrior(db: Db, { scope, now }: Repeatable) {
  const { body_sha256, answer, created_at } = idempotency_keys
  const alive = sql`${created_at} > ${validSince(now)}`
  return db
    .select({ body_sha256, answer })
    .from(idempotency_keys)
    .where(and(eq(idempotency_keys.scope, scope), alive))
}

/**
 * Runs a statement made with `once`. With a key, the function begin_repeatable makes a concurrent request wait and then
 * see the first response; function and statement are one round trip.
 *
 * @throws ApiError RATE_LIMITED if the stored responses of the day reach the quota of the tier; nothing is written then
 */
export async function runOnce<Row extends Record<string, unknown>>(
  db: Db,
  repeatable: Repeatable | null,
  statement: SQL,
): Promise<Row | undefined> {
  if (!repeatable) return (await db.execute<Row>(statement)).rows[0]
  const { actor, scope, now } = repeatable
  const quota = QUOTAS[actor.tier].idempotency_bytes_per_day
  try {
    const [, result] = await db.batch([
      db.execute(sql`select begin_repeatable(${actor.operator_id}::uuid, ${scope}, ${validSince(now)},
        ${utcDay(now)}::date, ${quota}::bigint)`),
      db.execute<Row>(statement),
    ])
    return result.rows[0]
  } catch (error) {
    if (unmetRequirement(error) !== QUOTA_USED_UP) throw error
    throw rejectedToday(overDailyQuota('idempotency_bytes_per_day', quota, STORED_BYTES), now)
  }
}

const STORED_BYTES = 'bytes of responses stored for an Idempotency-Key (a request without one stores none)'

function validSince(now: Date): SQL {
  return timestamptz(new Date(now.getTime() - KEPT_HOURS * HOUR_MS))
}
