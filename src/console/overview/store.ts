import { desc, eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/client.ts'
import type { Severity } from '../../db/enums.ts'
import { agent_stats, agents, operators } from '../../db/schema.ts'
import { utcDay } from '../../lib/time.ts'
import { OPERATOR_COLUMNS, sumsQuery, toSums } from '../../operators/store.ts'
import { agentRows } from '../agents/store.ts'
import { isRetrying } from '../platforms/store.ts'

const AGENTS_SHOWN = 8
const TROUBLES_SHOWN = 5

type Facts = {
  has_domain: boolean
  has_report: boolean
  /** Whether a report has another source than `self`. */
  has_platform_report: boolean
  /** The first active agent. */
  first_reg: string | null
  incidents: { reg: string; agent_name: string; title: string; severity: Severity; created_at: string }[]
  webhooks: { slug: string; name: string; disabled: boolean; failing_since: string | null }[]
}

/** The data of the overview page: one round trip. */
export async function readOverview(db: Db, operatorId: string, now: Date) {
  const id = sql`${operatorId}::uuid`
  const limit = sql`limit ${TROUBLES_SHOWN}::integer`
  const [[operator], sums, rows, facts] = await db.batch([
    db.select(OPERATOR_COLUMNS).from(operators).where(eq(operators.id, operatorId)),
    sumsQuery(db, operatorId, now),
    agentRows(db, utcDay(now))
      .where(eq(agents.operator_id, operatorId))
      .orderBy(agents.status, sql`${agent_stats.last_active_at} desc nulls last`, desc(agents.id))
      .limit(AGENTS_SHOWN),
    db.execute<Facts>(sql`
      select exists (select from agents where operator_id = ${id} and domain is not null) as has_domain,
        exists (select from agents a join agent_stats s on s.agent_id = a.id
          where a.operator_id = ${id} and s.events > 0) as has_report,
        exists (select from agents a join agent_evidence e on e.agent_id = a.id
          where a.operator_id = ${id} and e.source <> 'self') as has_platform_report,
        (select reg from agents where operator_id = ${id} and status = 'active'
          order by registered_at, id limit 1) as first_reg,
        (select coalesce(jsonb_agg(i), '[]') from (
          select a.reg, a.name as agent_name, i.title, i.severity, wire_time(i.created_at) as created_at
          from agents a join agent_stats s on s.agent_id = a.id join incidents i on i.agent_id = a.id
          where a.operator_id = ${id} and s.open_incident_count > 0 and i.status = 'open'
          order by i.created_at desc, i.id desc ${limit}) i) as incidents,
        (select coalesce(jsonb_agg(w), '[]') from (
          select slug, name, webhook_status = 'disabled' as disabled, wire_time(failing_since) as failing_since
          from platforms where operator_id = ${id} and status = 'active'
            and (webhook_status = 'disabled' or consecutive_failures > 0
              or attempts_without_response > 0 or ${isRetrying(sql`platforms.id`)})
          order by failing_since, slug ${limit}) w) as webhooks`),
  ])
  const [fact] = facts.rows
  if (!operator || !fact) throw new Error('the operator of an active session does not exist')
  return { operator, sums: toSums(sums), agents: rows, facts: fact }
}

export type Overview = Awaited<ReturnType<typeof readOverview>>
