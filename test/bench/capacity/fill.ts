import type pg from 'pg'
import { byAgent } from '../../../src/activity/entries.ts'
import { connect } from '../../../src/db/client.ts'
import type { Env } from '../../../src/env.ts'
import { snapshotPage } from '../../../src/jobs/snapshots.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { takeTurn } from '../../support/log/database.ts'
import { AGENTS_PER_OPERATOR, agentId, fill } from '../../support/population.ts'

/** The activity of an agent, in the measured database and in the computed ones. */
export const LIFE = { days: 20, events_a_day: 5 } as const
const SCORED_DAYS = 3
const BATCH = 1_000
const PAGE = 500
const LEAVES = 4_096
const TIMEOUT_MS = 60_000
const PLENTY = 20_000_000

export interface Lived {
  /** A page of snapshots of 500 agents. */
  snapshot_page_ms: number
  /** Calls of the transparency log, with the events of the agents in order. */
  leaves: number
  leaves_per_second: number
}

/**
 * Reports the events of agents day by day, in batches with the Worker's own function, so that pages and indexes are
 * realistic; the last days are scored, and everything is in the transparency log.
 */
export async function fillLived(
  client: pg.Client,
  url: string,
  settings: Record<string, string>,
  agents: number,
  say: (line: string) => void,
): Promise<Lived> {
  await fill(url, { agents, eventsPerAgent: 0, days: 0, fullAgents: 0 }, () => undefined)
  await client.query('delete from trust_scores')
  await client.query(`update agent_stats set last_active_at = null, scored_day = null, trust_score_overall = null,
    trust_score_updated = null`)
  await client.query('vacuum full agent_stats, trust_scores')
  await client.query('set synchronous_commit = off')
  await takeTurn(client, 1, new Date())

  const { rows } = await client.query<{ reg: string; operator_id: string }>(
    'select reg, operator_id from agents order by id',
  )
  const began = Date.now() - LIFE.days * DAY_MS
  const agentsOfBatch = Math.min(BATCH / LIFE.events_a_day, AGENTS_PER_OPERATOR)
  let snapshotMs: number[] = []
  for (let day = 0; day < LIFE.days; day++) {
    const at = new Date(began + day * DAY_MS)
    for (let from = 0; from < rows.length; from += agentsOfBatch)
      await report(client, rows.slice(from, from + agentsOfBatch), at)
    if (day >= LIFE.days - SCORED_DAYS) snapshotMs = await score(settings, agents, at)
    say(`day ${day + 1} of ${LIFE.days}`)
  }
  say('the transparency log')
  const logBegan = performance.now()
  while (await takeTurn(client, LEAVES, new Date(began + (LIFE.days + 1) * DAY_MS)));
  const seconds = (performance.now() - logBegan) / 1000
  const { rows: log } = await client.query<{ size: string }>('select size from tlog_state')
  const leaves = Number(log[0]?.size)
  await client.query('vacuum analyze')
  return {
    snapshot_page_ms: snapshotMs.toSorted((a, b) => a - b)[Math.floor(snapshotMs.length / 2)] ?? Number.NaN,
    leaves,
    leaves_per_second: leaves / seconds,
  }
}

async function report(
  client: pg.Client,
  agents: readonly { reg: string; operator_id: string }[],
  at: Date,
): Promise<void> {
  const regs = Array.from({ length: LIFE.events_a_day }, () => agents).flat()
  const events = regs.map(({ reg }, n) => ({
    id: uuidv7(at, n),
    input: {
      reg,
      event_type: 'task_completed',
      severity: 'info' as const,
      metadata: { response_ms: 1_500, quality: 0.95 },
    },
    incident: null,
  }))
  await client.query('select append_events($1, null, $2, $3, $3::integer::bigint, 0, $4, true, $5)', [
    agents[0]?.operator_id,
    'operator',
    PLENTY,
    at.toISOString(),
    JSON.stringify(byAgent(events)),
  ])
}

/** Scores all agents page by page; returns how long each page took, in ms. */
async function score(settings: Record<string, string>, agents: number, now: Date): Promise<number[]> {
  const env = settings as unknown as Env
  const times: number[] = []
  for (let from = 0; from < agents; from += PAGE) {
    const began = performance.now()
    const db = connect(env, AbortSignal.timeout(TIMEOUT_MS))
    const range = { from: agentId(from), until: agentId(from + PAGE) }
    await snapshotPage({ env, db, now }, range)
    times.push(performance.now() - began)
  }
  return times
}
