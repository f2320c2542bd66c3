import { type SQL, sql } from 'drizzle-orm'

/** How many UTC days a sparkline shows. */
export const SPARK_DAYS = 30

/** Tasks of one day: its age in days, completed tasks, failed tasks. */
export type DayOfTasks = readonly [age: number, completed: number, failed: number]

/**
 * A column with the tasks of the last days, without days that had none.
 *
 * @param today the current UTC day `YYYY-MM-DD`
 * @param agent the id of the agent in the statement
 */
export function recentDays(today: string, agent: SQL): SQL<DayOfTasks[]> {
  return sql`(select coalesce(jsonb_agg(jsonb_build_array(${today}::date - d.day, d.completed, d.failed)), '[]')
    from (select day, sum(completed)::bigint as completed, sum(failed)::bigint as failed from agent_evidence
      where agent_id = ${agent} and day > ${today}::date - ${SPARK_DAYS}::integer and day <= ${today}::date
      group by day having sum(completed) + sum(failed) > 0) d)`
}
