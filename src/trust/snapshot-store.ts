import { desc, eq, isNotNull, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { agent_stats, agents, trust_scores } from '../db/schema.ts'
import type { EventHead } from '../webhooks/events.ts'
import { OUTBOX, PENDING, type Publication } from '../webhooks/store.ts'
import type { TrustScore } from './score.ts'
import { agentDays } from './store.ts'

/** Agents with events that no snapshot has seen, the longest waiting first. */
export async function findUnscored(db: Db, today: string, limit: number) {
  const newest = db
    .select({
      overall: trust_scores.overall,
      reliability: trust_scores.reliability,
      accuracy: trust_scores.accuracy,
      safety: trust_scores.safety,
      speed: trust_scores.speed,
      consistency: trust_scores.consistency,
    })
    .from(trust_scores)
    .where(eq(trust_scores.agent_id, agents.id))
    .orderBy(desc(trust_scores.day))
    .limit(1)
    .as('newest')
  return db
    .select({
      agent_id: agents.id,
      reg: agents.reg,
      previous_overall: agent_stats.trust_score_overall,
      events: agent_stats.events,
      score_revision: agent_stats.score_revision,
      previous: {
        overall: newest.overall,
        reliability: newest.reliability,
        accuracy: newest.accuracy,
        safety: newest.safety,
        speed: newest.speed,
        consistency: newest.consistency,
      },
      ...agentDays(today),
    })
    .from(agent_stats)
    .innerJoin(agents, eq(agents.id, agent_stats.agent_id))
    .leftJoinLateral(newest, sql`true`)
    .where(isNotNull(agent_stats.unscored_since))
    .orderBy(agent_stats.unscored_since)
    .limit(limit)
}

export type Unscored = Awaited<ReturnType<typeof findUnscored>>[number]

/** What a snapshot found for one agent; `score` null while there is too little activity. */
export interface Snapshot {
  agent_id: string
  score_revision: number
  events: number
  day: string
  score: TrustScore | null
  inputs_sha256: string
  /** Whether the score differs from the newest one of the history. */
  changed: boolean
  event: (EventHead & { data: Record<string, unknown> }) | null
}

/**
 * Writes a page of snapshots: the history row of the day, the stored score that search reads, and the outbox. An
 * agent that another run has written since it was read is left out, so that two runs at once write and emit once.
 *
 * @returns how many agents were written, and the deliveries to publish
 */
export async function writeSnapshots(db: Db, snapshots: readonly Snapshot[], now: Date) {
  const input = snapshots.map(({ score, event, ...row }) => ({ ...row, ...score, ...event }))
  const at = sql`${now.toISOString()}::timestamptz`
  const result = await db.execute<{ written: number; deliveries: Publication[] | null }>(sql`
    with input as (
      select * from jsonb_to_recordset(${JSON.stringify(input)}::jsonb) as i (
        agent_id uuid, score_revision integer, events bigint, day date, inputs_sha256 text, changed boolean,
        overall numeric, reliability numeric, accuracy numeric, safety numeric, speed numeric, consistency numeric,
        events_considered bigint, algorithm_version text,
        event_id text, delivery_id uuid, type text, created_at timestamptz, data jsonb)
    ), locked as materialized (
      select s.agent_id from agent_stats s join input i on i.agent_id = s.agent_id
      where s.score_revision = i.score_revision order by s.agent_id for no key update of s
    ), taken as (
      update agent_stats s set score_revision = s.score_revision + 1,
        unscored_since = case when s.events > i.events
          or not s.deactivated and (s.last_active_at at time zone 'utc')::date > i.day then s.unscored_since end,
        trust_score_overall = i.overall,
        trust_score_updated = case when i.changed then ${at} else s.trust_score_updated end
      from locked l join input i on i.agent_id = l.agent_id where s.agent_id = l.agent_id
      returning s.agent_id
    ), mine as (
      select i.*, a.platform_id from input i join taken t on t.agent_id = i.agent_id
      join agents a on a.id = i.agent_id
    ), history as (
      insert into trust_scores as h (agent_id, day, overall, reliability, accuracy, safety, speed, consistency,
        events_considered, algorithm_version, inputs_sha256, computed_at)
      select agent_id, day, overall, reliability, accuracy, safety, speed, consistency, events_considered,
        algorithm_version, inputs_sha256, ${at} from mine where overall is not null
      on conflict (agent_id, day) do update set overall = excluded.overall, reliability = excluded.reliability,
        accuracy = excluded.accuracy, safety = excluded.safety, speed = excluded.speed,
        consistency = excluded.consistency, events_considered = excluded.events_considered,
        algorithm_version = excluded.algorithm_version, inputs_sha256 = excluded.inputs_sha256,
        computed_at = excluded.computed_at
      where h.inputs_sha256 <> excluded.inputs_sha256
    ), news as (
      select event_id, delivery_id, platform_id, type, created_at, data
      from mine where event_id is not null and platform_id is not null
    ), ${OUTBOX}
    select (select count(*)::integer from taken) as written, ${PENDING} as deliveries`)
  return result.rows[0] ?? { written: 0, deliveries: null }
}
