import { eq } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { agent_stats, agents, operators, platforms } from '../db/schema.ts'
import { agentDays } from '../trust/store.ts'

/** What a verification tells of an agent; null when there is none of this number. */
export async function findVerified(db: Db, reg: string, today: string) {
  const rows = await db
    .select({
      status: agents.status,
      operator_status: operators.status,
      identity: {
        reg: agents.reg,
        name: agents.name,
        class: agents.class,
        ownership_status: agents.ownership_status,
      },
      operator_name: operators.name,
      operator_kyc_status: operators.kyc_status,
      record: {
        tasks_completed: agent_stats.tasks_completed,
        tasks_failed: agent_stats.tasks_failed,
        incident_count: agent_stats.incident_count,
        open_incident_count: agent_stats.open_incident_count,
        last_active_at: agent_stats.last_active_at,
      },
      registered_at: agents.registered_at,
      platform_name: platforms.name,
      platform_slug: platforms.slug,
      ...agentDays(today),
    })
    .from(agents)
    .innerJoin(agent_stats, eq(agent_stats.agent_id, agents.id))
    .innerJoin(operators, eq(operators.id, agents.operator_id))
    .leftJoin(platforms, eq(platforms.id, agents.platform_id))
    .where(eq(agents.reg, reg))
  return rows[0] ?? null
}

export type Verified = NonNullable<Awaited<ReturnType<typeof findVerified>>>
