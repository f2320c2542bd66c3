import { type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../http/context.ts'

/**
 * A condition on a row of `agents`: the agent belongs to the acting operator, or is on the acting platform, confirmed
 * if the platform requires approval.
 *
 * @param actor null for the public, for which the condition is false
 * @param agent name of the row in the statement
 */
export function belongsTo(actor: Actor | null, agent: SQL): SQL {
  if (!actor) return sql`false`
  return actor.platform_id
    ? sql`(${agent}.platform_id is not distinct from ${actor.platform_id}::uuid and (${agent}.platform_state = 'confirmed'
        or exists (select from platforms where id = ${actor.platform_id}::uuid and admission = 'open')))`
    : sql`${agent}.operator_id = ${actor.operator_id}::uuid`
}
