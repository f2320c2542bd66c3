import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import type { idempotency_keys } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'

const KEPT_HOURS = 24

/** A request with an Idempotency-Key. */
export interface Repeatable {
  /** SHA-256 of caller, method, path and key. */
  scope: string
  /** SHA-256 of the raw bytes of the body. */
  body_sha256: string
  now: Date
}

/** The stored first response to a request. */
export type Prior = Pick<typeof idempotency_keys.$inferSelect, 'body_sha256' | 'answer'>

/** Fragments that make a statement repeatable; without a key they are empty, and the statement always writes. */
export interface Once {
  /** The common table expression `prior`, to be placed before the others. */
  first: SQL
  /** The condition under which the statement may write. */
  unseen: SQL
  /** The common table expression `kept`, to be placed after the others: it stores the response. */
  keep: SQL
  /** A column: the first response, or null. */
  prior: SQL
}

/**
 * Makes the fragments for a statement that writes once per Idempotency-Key, however often it is sent.
 *
 * @param repeatable null if the request has no key
 * @param responseOf selects one row with `answer` (jsonb) if the statement has written, else no row
 */
export function once(repeatable: Repeatable | null, responseOf: () => SQL): Once {
  if (!repeatable) return { first: sql``, unseen: sql`true`, keep: sql``, prior: sql`null::jsonb` }
  const { scope, body_sha256, now } = repeatable
  const at = timestamptz(now)
  const alive = sql`created_at > ${at} - make_interval(hours => ${KEPT_HOURS}::integer)`
  return {
    first: sql`prior as materialized (
      select body_sha256, answer from idempotency_keys where scope = ${scope} and ${alive}
    ), `,
    unseen: sql`not exists (select from prior)`,
    keep: sql`, kept as (
      insert into idempotency_keys (scope, body_sha256, answer, created_at)
      select ${scope}, ${body_sha256}, answer, ${at} from (${responseOf()}) acted where not exists (select from prior)
      on conflict (scope) do update set body_sha256 = excluded.body_sha256, answer = excluded.answer, created_at = excluded.created_at
    )`,
    prior: sql`(select to_jsonb(prior) from prior)`,
  }
}

/**
 * Runs a statement made with `once`. With a key, a lock on its scope makes a concurrent request wait and then see the
 * first response; lock and statement are one round trip.
 */
export async function runOnce<Row extends Record<string, unknown>>(
  db: Db,
  repeatable: Repeatable | null,
  statement: SQL,
): Promise<Row | undefined> {
  if (!repeatable) return (await db.execute<Row>(statement)).rows[0]
  const [, result] = await db.batch([
    db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${repeatable.scope}, 0))`),
    db.execute<Row>(statement),
  ])
  return result.rows[0]
}
