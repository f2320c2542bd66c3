import { type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../http/context.ts'

/**
 * A condition over a row of `agents`: it belongs to the operator that acts, or is on the platform that acts, which under
 * approval must have confirmed it.
 *
 * @param actor null for the public, to whom no agent belongs
 * @param agent the row's name in the statement
 */
export function belongsTo(actor: Actor | null, agent: SQL): SQL {
  if (!actor) return sql`false`
  return actor.platform_id
    ? sql`(${agent}.platform_id is not distinct from ${actor.platform_id}::uuid and (${agent}.platform_state = 'confirmed'
        or exists (select from platforms where id = ${actor.platform_id}::uuid and admission = 'open')))`
    : sql`${agent}.operator_id = ${actor.operator_id}::uuid`
}
