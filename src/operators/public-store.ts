import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { nameWithheld, type WithheldField } from '../wire/withheld.ts'
import type { PublicOperator } from './responses.ts'

const DOMAINS_MAX = 100

type Row = Omit<PublicOperator, 'withheld'> & { withheld: WithheldField[] | null }

/**
 * The public record of an operator, or null. Reads the operator's row and its range in the index of verified domains, but
 * no row of `agents`, which can be many.
 */
export async function findPublicOperator(db: Db, id: string): Promise<PublicOperator | null> {
  const result = await db.execute<Row>(sql`
    with verified as materialized (
      select domain from agents
      where operator_id = ${id}::uuid and domain is not null and status = 'active' group by domain
    )
    select o.id, t.name, t.name_verified, o.kyc_status, o.status, t.withheld,
      wire_time(o.created_at) as created_at, o.active_agents as agent_count,
      (select count(*)::integer from verified) as domain_count,
      array(select domain from verified order by domain limit ${DOMAINS_MAX}::integer) as domains
    from operators o cross join lateral public_operator(o) t where o.id = ${id}::uuid`)
  const [row] = result.rows
  return row ? nameWithheld(row) : null
}
