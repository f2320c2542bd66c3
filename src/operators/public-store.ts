import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { wireTime } from '../db/sql.ts'
import type { PublicOperator } from './responses.ts'

const DOMAINS_MAX = 100

/**
 * The public record of an operator, or null. Reads the operator's row and its range in the index of verified domains, but
 * no row of `agents`, which can be many.
 */
export async function findPublicOperator(db: Db, id: string): Promise<PublicOperator | null> {
  const result = await db.execute<PublicOperator>(sql`
    with verified as materialized (
      select domain from agents
      where operator_id = ${id}::uuid and domain is not null and status = 'active' group by domain
    )
    select o.id, o.name, o.name_verified_at is not null as name_verified, o.kyc_status, o.status,
      ${wireTime(sql`o.created_at`)} as created_at, o.active_agents as agent_count,
      (select count(*)::integer from verified) as domain_count,
      array(select domain from verified order by domain limit ${DOMAINS_MAX}::integer) as domains
    from operators o where o.id = ${id}::uuid`)
  return result.rows[0] ?? null
}
