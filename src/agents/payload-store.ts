import { type SQL, sql } from 'drizzle-orm'
import { wireTime } from '../db/sql.ts'

/**
 * The data of the webhook event `agent.registered`, and of `agent.updated` except for `changed`.
 *
 * @param agent, stats, operator names of the rows of the agent, its counters, and its operator
 * @param score its `ShownScore`, as jsonb
 */
export function agentPayload(agent: SQL, stats: SQL, operator: SQL, score: SQL): SQL {
  return sql`jsonb_build_object('reg', ${agent}.reg, 'name', ${agent}.name, 'description', ${agent}.description,
        'class', ${agent}.class, 'status', ${agent}.status, 'ownership_status', ${agent}.ownership_status,
        'domain', ${agent}.domain, 'specializations', to_jsonb(${agent}.specializations),
        'tasks_completed', ${stats}.tasks_completed, 'operator_name', ${operator}.name,
        'operator_name_verified', ${operator}.name_verified_at is not null,
        'platform_slug', (select slug from platforms where id = ${agent}.platform_id),
        'platform_state', ${agent}.platform_state, 'registered_at', ${wireTime(sql`${agent}.registered_at`)}) || ${score}`
}
