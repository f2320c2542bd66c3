import { type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../http/context.ts'

/**
 * A condition over a row of `agents`: it belongs to the operator, or is registered on the platform, that acts.
 *
 * @param actor null for the public, to whom no agent belongs
 * @param agent the row's name in the statement
 */
export function belongsTo(actor: Actor | null, agent: SQL): SQL {
  if (!actor) return sql`false`
  return actor.platform_id
    ? sql`${agent}.platform_id is not distinct from ${actor.platform_id}::uuid`
    : sql`${agent}.operator_id = ${actor.operator_id}::uuid`
}
