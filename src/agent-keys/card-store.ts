import { and, asc, eq, exists, gt, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { agent_keys, agents, operators, platforms } from '../db/schema.ts'
import { isValid } from './store.ts'

/** The maximum number of cards on a page of the list. */
export const CARDS_MAX = 1_000

interface Filters {
  operator?: string | undefined
  platform?: string | undefined
  domain?: string | undefined
  after?: string | undefined
}

/** The name of an agent as others see it; null if there is no such agent. */
export async function findCard(db: Db, reg: string): Promise<{ name: string } | null> {
  const { rows } = await db.execute<{ name: string }>(sql`
    select t.name from agents a join operators o on o.id = a.operator_id cross join lateral public_agent(a, o) t
    where a.reg = ${reg}`)
  return rows[0] ?? null
}

/** The numbers of active agents with a valid key, in order, one more than a page has if there are more. */
export async function listCards(db: Db, { operator, platform, domain, after }: Filters, now: Date) {
  const key = db
    .select({ found: sql`1` })
    .from(agent_keys)
    .where(and(eq(agent_keys.reg, agents.reg), isValid(now)))
  const rows = await db
    .select({ reg: agents.reg })
    .from(agents)
    .innerJoin(operators, eq(operators.id, agents.operator_id))
    .leftJoin(platforms, eq(platforms.id, agents.platform_id))
    .where(
      and(
        eq(agents.status, 'active'),
        eq(operators.status, 'active'),
        exists(key),
        operator === undefined ? undefined : eq(agents.operator_id, operator),
        platform === undefined ? undefined : eq(platforms.slug, platform),
        domain === undefined ? undefined : eq(agents.domain, domain),
        after === undefined ? undefined : gt(agents.reg, after),
      ),
    )
    .orderBy(asc(agents.reg))
    .limit(CARDS_MAX + 1)
  return rows.map(({ reg }) => reg)
}
