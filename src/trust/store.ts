import { desc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { agents, trust_scores } from '../db/schema.ts'
import type { ScoreBasis } from './basis.ts'
import { readRows } from './inputs.ts'
import { ALGORITHM_VERSION } from './score.ts'
import { WINDOW_DAYS } from './window.ts'

/**
 * The basis of the score of an agent, as a column. A deactivated agent keeps the score of its last day.
 *
 * @param today the current UTC day `YYYY-MM-DD`
 * @param agent the name of its row in the statement
 */
export function scoreBasis(today: string, agent: SQL = sql`${agents}`) {
  return sql<ScoreBasis>`(select score_basis(s, ${agent}.deactivated_at, ${today}::date, ${ALGORITHM_VERSION},
    ${WINDOW_DAYS}::integer) from agent_stats s where s.agent_id = ${agent}.id)`
}

/** The basis of the score of an agent; null if there is no such agent. */
export async function findBasis(db: Db, reg: string, today: string): Promise<ScoreBasis | null> {
  const { rows } = await db.execute<{ basis: ScoreBasis | null }>(sql`
    select agent_basis(${reg}, ${today}, ${ALGORITHM_VERSION}, ${WINDOW_DAYS}) as basis`)
  return rows[0]?.basis ?? null
}

/**
 * The rollup rows and open outages of the score of an agent; null if there is no such agent.
 *
 * @param today the current UTC day `YYYY-MM-DD`, or a past one
 */
export async function findInputs(db: Db, reg: string, today: string) {
  const day = sql`least((${agents.deactivated_at} at time zone 'utc')::date, ${today}::date)`
  const rows = await db
    .select({
      today: sql<string>`to_char(${day}, 'YYYY-MM-DD')`,
      rows: sql`coalesce(rollup_rows(${agents.id}, ${day} - ${WINDOW_DAYS}::integer, ${day}), '')`.mapWith(
        readRows,
      ),
      open_outages: sql<number>`(select open_outages(s, ${day}) from agent_stats s where s.agent_id = ${agents.id})`,
    })
    .from(agents)
    .where(eq(agents.reg, reg))
  return rows[0] ?? null
}

const { agent_id, algorithm_version, inputs_sha256, ...SHOWN } = getTableColumns(trust_scores)

/** The newest scores in the history of an agent; null if there is no such agent. */
export async function listScores(db: Db, reg: string, limit: number) {
  const rows = await db
    .select({
      agent_id: agents.id,
      score: SHOWN,
    })
    .from(agents)
    .leftJoin(trust_scores, eq(trust_scores.agent_id, agents.id))
    .where(eq(agents.reg, reg))
    .orderBy(desc(trust_scores.day))
    .limit(limit)
  return rows.length === 0 ? null : rows.flatMap(({ score }) => (score ? [score] : []))
}
