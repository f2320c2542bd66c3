import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import type { idempotency_keys } from '../db/schema.ts'
import { timestamptz } from '../db/sql.ts'

const KEPT_HOURS = 24

/** A request that carries an Idempotency-Key. */
export interface Repeatable {
  /** SHA-256 of caller, method, path and key. */
  scope: string
  /** SHA-256 of the raw bytes of the body. */
  body_sha256: string
  now: Date
}

/** The first response to a request, as it was kept. */
export type Prior = Pick<typeof idempotency_keys.$inferSelect, 'body_sha256' | 'answer'>

/** The parts that make a statement repeatable; without a key they are empty, and the statement always acts. */
export interface Once {
  /** The common table expression `prior`, before the statement's own. */
  first: SQL
  /** Must hold for the statement to act. */
  unseen: SQL
  /** The common table expression `kept`, after the others: it keeps the response. */
  keep: SQL
  /** A column: the first response, or null. */
  prior: SQL
}

/**
 * Makes a statement that acts once for an Idempotency-Key, however often it is sent.
 *
 * @param repeatable null when the request carries no key
 * @param responseOf selects `answer` (jsonb) in one row when the statement has acted, and no row when it has not
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
 * Runs a statement made with `once`. With a key, a lock on its scope makes the loser of a race wait and see the
 * winner's response; both are one round trip.
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
