import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import type { agent_stats } from '../db/schema.ts'
import { jsonb, timestamptz } from '../db/sql.ts'
import { notifyOperators } from '../notifications/store.ts'
import { emitEvents, type Publication } from '../webhooks/outbox/store.ts'
import type { Due, Snapshot } from './snapshot.ts'
import { WINDOW_DAYS } from './window.ts'

const CATCH_UP_DAYS = 31 // per run; after an outage, more days wait for the next run

/** A range of agent ids to be scored together: from `from` to before `until`, or as many as a page holds. */
export interface AgentRange {
  from: string
  until: string | null
}

/**
 * The condition for agents whose scores are due: they have events that no snapshot includes, or a score whose window
 * has moved since. Agents that were scored for a later day, by a clock that is ahead, wait for that day.
 */
function due(today: string): SQL {
  const day = sql`${today}::date`
  return sql`(s.unscored_since < (${day} + 1)::timestamp at time zone 'utc' or s.scored_day < ${day})
      and (s.scored_day is null or s.scored_day <= ${day})`
}

/**
 * Divides the agents that are due into ranges of `size`, in order of id.
 *
 * @param today the UTC day `YYYY-MM-DD` of the run
 * @param limit maximum number of ranges
 * @returns ranges that do not overlap; the last one has no end
 */
export async function findRanges(db: Db, today: string, size: number, limit: number): Promise<AgentRange[]> {
  const result = await db.execute<Pick<typeof agent_stats.$inferSelect, 'agent_id'>>(sql`
    select agent_id from (
      select s.agent_id, row_number() over (order by s.agent_id) as position
      from agent_stats s where ${due(today)} order by s.agent_id limit ${size * limit}::integer
    ) numbered
    where position % ${size}::integer = 1 order by agent_id`)
  const starts = result.rows.map((row) => row.agent_id)
  return starts.map((from, index) => ({ from, until: starts[index + 1] ?? null }))
}

/**
 * The agents of a range that are due, with the inputs of their snapshots: the days to compute (from the first day with
 * unscored events or a missed run to today, or for a deactivated agent to the day of its deactivation), their rollup
 * rows, and the scores that were last written and reported.
 */
export async function findDue(db: Db, today: string, range: AgentRange, limit: number): Promise<Due[]> {
  const past = (condition: SQL) => sql`(
      select to_json(h) from trust_scores h where h.agent_id = s.agent_id ${condition} order by h.day desc limit 1)`
  const result = await db.execute<Due>(sql`
    with s as materialized (
      select s.* from agent_stats s where ${due(today)} and s.agent_id >= ${range.from}::uuid
        ${range.until === null ? sql`` : sql`and s.agent_id < ${range.until}::uuid`}
      order by s.agent_id limit ${limit}::integer
    )
    select s.agent_id, a.reg, a.name, a.platform_id, s.events, s.score_revision, s.deactivated, s.trust_level,
      s.trust_score_overall::float8, first_day::text, last_day::text,
      last_day = final_day as complete,
      ${past(sql``)} as newest, ${past(sql`and h.day < first_day`)} as before,
      rollup_rows(s.agent_id, first_day - ${WINDOW_DAYS}::integer, last_day) as rows,
      array(select open_outages(s::agent_stats, d.day::date) from generate_series(first_day, last_day, '1 day') as d (day)
        order by d.day) as open_outages
    from s join agents a on a.id = s.agent_id
    cross join lateral (
      select least(s.scored_day + 1, (s.unscored_since at time zone 'utc')::date) as first_day,
        coalesce((a.deactivated_at at time zone 'utc')::date, ${today}::date) as final_day
    ) span
    cross join lateral (select least(final_day, first_day + ${CATCH_UP_DAYS}::integer) as last_day) bounded
    order by s.agent_id`)
  return result.rows
}

/**
 * Writes a page of snapshots: the history, the stored scores that search reads, the outbox, and the alerts. Agents that
 * were written by another run or deactivated since they were read are skipped, so that concurrent runs write and notify
 * only once.
 *
 * @returns number of agents written, and the deliveries to publish
 */
export async function writeSnapshots(db: Db, snapshots: readonly Snapshot[], now: Date) {
  const at = timestamptz(now)
  const outgoing = snapshots.flatMap(({ outgoing }) => outgoing)
  const alerts = snapshots.flatMap(({ alert }) => alert ?? [])
  const deliveries = outgoing.length > 0 ? eventsOf(outgoing, now) : sql`null::jsonb`
  const alerted = alerts.length > 0 ? alertOperators(alerts, now) : sql`0`
  const result = await db.execute<{ written: number; deliveries: Publication[] | null }>(sql`
    with input as materialized (
      -- Not jsonb, which would change the order of the fields of a kept score, and so its ETag.
      select * from json_to_recordset(${JSON.stringify(snapshots.map(({ state }) => state))}::json) as i (
        agent_id uuid, score_revision integer, events bigint, deactivated boolean, day date, ended boolean,
        overall numeric, trust_level smallint, record_standing text, kept_score json, kept_algorithm text)
    ), locked as materialized (
      select s.agent_id from agent_stats s join input i on i.agent_id = s.agent_id
      where s.score_revision = i.score_revision and s.deactivated = i.deactivated
      order by s.agent_id for no key update of s
    ), taken as (
      update agent_stats s set score_revision = s.score_revision + 1,
        unscored_since = case when s.events > i.events then s.unscored_since
          when s.last_active_at >= (i.day + 1)::timestamp at time zone 'utc' and not s.deactivated
          then greatest(s.unscored_since, (i.day + 1)::timestamp at time zone 'utc') end,
        scored_day = case when not i.ended then greatest(s.scored_day, i.day) end,
        trust_score_overall = i.overall, trust_level = i.trust_level,
        record_standing = coalesce(i.record_standing, s.record_standing),
        kept_score = i.kept_score, kept_algorithm = i.kept_algorithm,
        trust_score_updated = case when i.overall is distinct from s.trust_score_overall
          then greatest(s.last_active_at, i.day::timestamp at time zone 'utc') else s.trust_score_updated end
      from locked l join input i on i.agent_id = l.agent_id where s.agent_id = l.agent_id
      returning s.agent_id
    ), history as (
      insert into trust_scores as h (agent_id, day, overall, reliability, accuracy, safety, speed, consistency,
        events_considered, algorithm_version, inputs_sha256, computed_at)
      select r.agent_id, day, overall, reliability, accuracy, safety, speed, consistency, events_considered,
        algorithm_version, inputs_sha256, ${at}
      from jsonb_to_recordset(${jsonb(snapshots.flatMap(({ history }) => history))}) as r (
        agent_id uuid, day date, changed boolean, overall numeric, reliability numeric, accuracy numeric,
        safety numeric, speed numeric, consistency numeric, events_considered bigint, algorithm_version text,
        inputs_sha256 text)
      join taken t on t.agent_id = r.agent_id
      where r.changed or exists (select from trust_scores e where e.agent_id = r.agent_id and e.day = r.day)
      on conflict (agent_id, day) do update set overall = excluded.overall, reliability = excluded.reliability,
        accuracy = excluded.accuracy, safety = excluded.safety, speed = excluded.speed,
        consistency = excluded.consistency, events_considered = excluded.events_considered,
        algorithm_version = excluded.algorithm_version, inputs_sha256 = excluded.inputs_sha256,
        computed_at = excluded.computed_at
      where h.inputs_sha256 <> excluded.inputs_sha256
    )
    select (select count(*)::integer from taken) as written,
      ${deliveries} as deliveries, ${alerted} as alerted`)
  return result.rows[0] ?? { written: 0, deliveries: null }
}

function eventsOf(outgoing: Snapshot['outgoing'], now: Date): SQL {
  const written = sql`
      select n.*
      from jsonb_to_recordset(${jsonb(outgoing)})
        as n (agent_id uuid, event_id text, type text, created_at timestamptz, data jsonb)
      join taken t on t.agent_id = n.agent_id`
  return emitEvents(written, now)
}

function alertOperators(alerts: NonNullable<Snapshot['alert']>[], now: Date): SQL {
  const wanted = sql`
      select o.id as operator_id, a.reg, w.title, w.body
      from jsonb_to_recordset(${jsonb(alerts)}) as w (agent_id uuid, title text, body text)
      join taken t on t.agent_id = w.agent_id
      join agents a on a.id = w.agent_id
      join operators o on o.id = a.operator_id
      where (o.notification_prefs ->> 'trust_alerts')::boolean`
  return notifyOperators('trust_alert', wanted, now)
}
