import type pg from 'pg'
import type { ScoreBasis } from '../../src/trust/basis.ts'
import type { Rollup } from '../../src/trust/rollup.ts'
import { ALGORITHM_VERSION, MIN_TASKS } from '../../src/trust/score.ts'
import { WINDOW_DAYS } from '../../src/trust/window.ts'
import { COUNTERS, type Counters, type Outage, type ReplayedEvent } from './account.ts'

const FIRST_SEQ = Number.MIN_SAFE_INTEGER
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The counters of a row `s` as the members of a JSON object, with times as `toISOString` writes them. */
const MEMBERS = COUNTERS.map(
  (name) => `'${name}', ${/_(at|since)$/.test(name) ? `wire_time(s.${name})` : `s.${name}`}`,
)

/** The stored values of an agent that are computed from its log. */
export interface StoredAgent {
  /** Null if the agent does not exist, but rows with its id do. */
  reg: string | null
  counters: Counters | null
  open_incidents: number
  /** The stored score of a day that responses use; null if the next request computes it. */
  settled: Pick<ScoreBasis, 'today' | 'score'> | null
  rows: StoredRow[]
  outages: Outage[]
}

/** A rollup row, with its text, which scores are computed from. */
export type StoredRow = Rollup & { printed: string }

/** The stored values if the agent of events does not exist. */
export const NO_AGENT: Readonly<StoredAgent> = {
  reg: null,
  counters: null,
  open_incidents: 0,
  settled: null,
  rows: [],
  outages: [],
}

/** A range of agent ids, both ends included. */
interface Range {
  from: string
  to: string
}

type AgentEvent = ReplayedEvent & { agent_id: string }

/**
 * Finds the next agents to read in one snapshot; at least one.
 *
 * @returns the range of their ids; the last range ends with the highest id
 */
export async function nextRange(
  client: pg.ClientBase,
  from: string,
  limits: { agents: number; events: number },
): Promise<Range & { isLast: boolean }> {
  const { rows } = await client.query<{ to: string | null }>(
    `select max(agent_id::text)::uuid as to from (
       select agent_id, sum(events) over (order by agent_id) - events as before
       from (select agent_id, events from agent_stats where agent_id >= $1 order by agent_id limit $2) next) n
     where before < $3`,
    [from, limits.agents, limits.events],
  )
  const to = rows[0]?.to
  return { from, to: to ?? LAST_ID, isLast: !to }
}

/** The next id in the order of Postgres. */
export function following(id: string): string {
  const hex = (BigInt(`0x${id.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Reads the counters and rollup rows of the agents in a range. */
export async function readStored(
  client: pg.ClientBase,
  { from, to }: Range,
): Promise<Map<string, StoredAgent>> {
  const found = new Map<string, StoredAgent>()
  const stats = await client.query<StoredAgent & { agent_id: string }>(
    `select s.agent_id, a.reg, jsonb_build_object(${MEMBERS}) as counters,
       (select coalesce(jsonb_agg(jsonb_build_object('is_own', o.is_own, 'began_on', o.began_on, 'ended_on', o.ended_on)
          order by o.ended_on, o.is_own), '[]') from agent_outages o where o.agent_id = s.agent_id) as outages,
       (select count(*)::float8 from incidents i where i.agent_id = s.agent_id and i.status = 'open') as open_incidents,
       score_basis(s, a.deactivated_at, s.scored_day, $3, $4) as settled
     from agent_stats s join agents a on a.id = s.agent_id where s.agent_id between $1 and $2`,
    [from, to, ALGORITHM_VERSION, WINDOW_DAYS],
  )
  for (const { agent_id, ...agent } of stats.rows) found.set(agent_id, { ...agent, rows: [] })
  const evidence = await client.query<{ agent_id: string; rows: StoredRow[] }>(
    `select agent_id, jsonb_agg(to_jsonb(d) - 'agent_id') as rows from agent_evidence d
     where agent_id between $1 and $2 group by agent_id`,
    [from, to],
  )
  for (const { agent_id, rows } of evidence.rows) {
    found.set(agent_id, { ...(found.get(agent_id) ?? NO_AGENT), rows })
  }
  return found
}

/**
 * Reads the log of the agents in a range, by agent and seq, in pages, so that no log has to fit into memory.
 *
 * @param after the seq to continue after in the log of the first agent; default: its beginning
 */
export async function* readLog(
  client: pg.ClientBase,
  { from, to }: Range,
  pageEvents: number,
  after = FIRST_SEQ,
): AsyncGenerator<AgentEvent[]> {
  for (let [agent_id, seq] = [from, after]; ; ) {
    const { rows } = await client.query<AgentEvent>({
      name: 'event_page',
      text: `select e.agent_id, e.seq::float8 as seq, e.event_type, e.severity,
         case when e.event_type in ('task_completed', 'task_failed') then e.metadata else '{}' end as metadata,
         (extract(epoch from e.created_at) * 1000)::float8 as at_ms,
         e.source,
         (select r.added from redactions r where r.event_id = e.id and r.erased_at is not null) as added
       from (select * from activity_events where (agent_id, seq) > ($1, $2::bigint) and agent_id <= $3
         order by agent_id, seq limit $4) e
       order by e.agent_id, e.seq`,
      values: [agent_id, seq, to, pageEvents],
    })
    const last = rows.at(-1)
    if (!last) return
    yield rows
    ;({ agent_id, seq } = last)
  }
}

/** Locks an agent against new events, resolutions and snapshots until the end of the transaction. */
export async function lockAgent(client: pg.ClientBase, agentId: string): Promise<void> {
  await client.query('select from agent_stats where agent_id = $1 for no key update', [agentId])
}

/**
 * Writes the counters and rows of a locked agent, and marks its score to be computed again from the first of these days
 * on. The new revision rejects a snapshot computed from the old rows. Deletes the history of days without a score.
 *
 * @param rebuilt `rows`: those that differ; `gone`: those that do not follow from the log
 */
export async function writeRebuilt(
  client: pg.ClientBase,
  agentId: string,
  rebuilt: {
    counters: Counters
    outages: readonly Outage[]
    rows: readonly Rollup[]
    gone: readonly Rollup[]
  },
  now: Date,
): Promise<void> {
  const { counters, outages, rows, gone } = rebuilt
  const [first = null] = [...gone, ...rows].map(({ day }) => day).sort()
  await client.query(
    `update agent_stats s set (${COUNTERS}) = (
         select ${COUNTERS} from jsonb_populate_record(null::agent_stats, $2::jsonb)),
       unscored_since = coalesce(s.unscored_since, $3), score_revision = s.score_revision + 1,
       scored_day = case when $4::date is null then s.scored_day else least(s.scored_day, $4::date - 1) end
     where s.agent_id = $1`,
    [agentId, JSON.stringify(counters), now.toISOString(), first],
  )
  await client.query('delete from agent_outages where agent_id = $1', [agentId])
  await client.query(
    `insert into agent_outages (agent_id, is_own, began_on, ended_on)
     select $1, is_own, began_on, ended_on
     from jsonb_to_recordset($2::jsonb) as o (is_own boolean, began_on date, ended_on date)`,
    [agentId, JSON.stringify(outages)],
  )
  await client.query(
    `delete from agent_evidence where agent_id = $1 and (day, source) in (
       select day, source from jsonb_to_recordset($2::jsonb) as r (day date, source report_source))`,
    [agentId, JSON.stringify([...gone, ...rows])],
  )
  await client.query(
    'insert into agent_evidence select * from jsonb_populate_recordset(null::agent_evidence, $1::jsonb)',
    [JSON.stringify(rows.map((row) => ({ agent_id: agentId, ...row })))],
  )
  // The totals of later days include these rows.
  await client.query(
    `insert into tlog_days (day, agent_id)
     select distinct day, $1::uuid from (
       select day from agent_evidence where agent_id = $1 and day >= $3::date
       union all select day from trust_scores where agent_id = $1 and day >= $3::date
       union all select day from jsonb_to_recordset($2::jsonb) as r (day date)) changed
     on conflict (day, agent_id) do update set day = excluded.day`,
    [agentId, JSON.stringify(gone), first],
  )
  await client.query(
    `delete from trust_scores h where h.agent_id = $1 and h.day >= $2 and $3 > (
       select coalesce(sum(d.completed + d.failed), 0) from agent_evidence d
       where d.agent_id = h.agent_id and d.day > h.day - $4::integer and d.day <= h.day)`,
    [agentId, first, MIN_TASKS, WINDOW_DAYS],
  )
}
