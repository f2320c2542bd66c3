import { desc, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { agent_daily, agents, trust_scores } from '../db/schema.ts'
import { INPUT_FIELDS, readInputs } from './inputs.ts'
import { WINDOW_DAYS } from './window.ts'

const FIELDS = INPUT_FIELDS.slice(1).map((field) => sql`d.${sql.identifier(field)}`)

/**
 * An aggregate over rows `d` of `agent_daily`: their canonical form without the brackets around it, null of no rows.
 * As text, because Postgres takes six times as long to put them together as objects, and we to read those.
 */
export const CANONICAL_ROWS: SQL = sql`string_agg('["' || d.day || '",' || concat_ws(',', ${sql.join(FIELDS, sql`, `)}) || ']', ',' order by d.day)`

/**
 * Columns for a query over `agents`: the rollup rows that a score is made of, and the day it is made for.
 * A deactivated agent keeps the score of its last day.
 *
 * @param today the UTC day `YYYY-MM-DD` of the question, or a past one
 */
export function agentDays(today: string) {
  return {
    today: sql<string>`to_char(${lastDay(today)}, 'YYYY-MM-DD')`,
    days: sql`coalesce((select ${CANONICAL_ROWS} ${window(today)}), '')`.mapWith((rows: string) =>
      readInputs(`[${rows}]`),
    ),
  }
}

/** The newest day of the window; without a deactivation `least` passes its null over. */
function lastDay(today: string): SQL {
  return sql`least((${agents.deactivated_at} at time zone 'utc')::date, ${today}::date)`
}

function window(today: string): SQL {
  const day = lastDay(today)
  return sql`from ${agent_daily} d where d.agent_id = ${agents.id} and d.day > ${day} - ${WINDOW_DAYS}::integer and d.day <= ${day}`
}

/** What an agent's score is computed from; null when there is no such agent. */
export async function findInputs(db: Db, reg: string, today: string) {
  const rows = await db.select(agentDays(today)).from(agents).where(eq(agents.reg, reg))
  return rows[0] ?? null
}

/** The same, and how many of the window's events a platform of another operator has reported. */
export async function findEvidence(db: Db, reg: string, today: string) {
  const platform_events = sql<number>`coalesce((select sum(d.platform_events)::float8 ${window(today)}), 0)`
  const rows = await db
    .select({ ...agentDays(today), platform_events })
    .from(agents)
    .where(eq(agents.reg, reg))
  return rows[0] ?? null
}

/** The newest scores of an agent's history; null when there is no such agent. */
export async function listScores(db: Db, reg: string, limit: number) {
  const rows = await db
    .select({
      agent_id: agents.id,
      score: {
        overall: trust_scores.overall,
        reliability: trust_scores.reliability,
        accuracy: trust_scores.accuracy,
        safety: trust_scores.safety,
        speed: trust_scores.speed,
        consistency: trust_scores.consistency,
        events_considered: trust_scores.events_considered,
        computed_at: trust_scores.computed_at,
      },
    })
    .from(agents)
    .leftJoin(trust_scores, eq(trust_scores.agent_id, agents.id))
    .where(eq(agents.reg, reg))
    .orderBy(desc(trust_scores.day))
    .limit(limit)
  return rows.length === 0 ? null : rows.flatMap(({ score }) => (score ? [score] : []))
}
