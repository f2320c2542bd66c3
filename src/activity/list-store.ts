import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { redactionOf, timestamptz } from '../db/sql.ts'
import type { Actor } from '../http/context.ts'
import { LIST_DEPTH, offsetOf, PUBLIC_EVENTS } from '../wire/page.ts'
import { fromCursor, toCursor } from './cursor.ts'
import type { ActivityQuery } from './list-query.ts'
import type { ListedEvent } from './responses.ts'

export type Activity = {
  /** Whether the reader may read the log beyond the public events. */
  whole: boolean
  /** Whether metadata is shown as `{}`, and custom types as `other`, because they are withheld. */
  hidden: boolean
  total: number
  data: ListedEvent[]
  next_cursor: string | null
}

type ListedRow = Omit<ListedEvent, 'redacted'> & { redacted: ListedEvent['redacted'] | null; seq: number }
type Row = Pick<Activity, 'whole' | 'hidden' | 'total'> & { data: ListedRow[]; more: boolean }

/** A page of the log of an agent; null if there is no such agent. See `selectActivity`. */
export async function listActivity(
  db: Db,
  reg: string,
  reader: Actor | null,
  query: ActivityQuery,
): Promise<Activity | null> {
  return toActivity(await selectActivity(db, reg, reader, query))
}

/**
 * Selects a page of the log of an agent, newest first: for its operator all events, for its platform those since the
 * agent joined, for others the 50 newest. Redacted metadata is hidden from everyone, and withheld metadata and custom
 * types from the public, also as a filter. Times become bounds of `seq`, along which `created_at` never decreases, so
 * that every filter is an index range. The page is json, because jsonb takes ten times as long for metadata with many keys.
 *
 * @param reader the operator or platform that may read with its credential; null for the public
 * @returns the input of `toActivity`; `total` is exact, but with filters at most `LIST_DEPTH`
 */
export function selectActivity(db: Db, reg: string, reader: Actor | null, query: ActivityQuery) {
  const { type, from, to, per_page } = query
  const filtered = type !== undefined || from !== undefined || to !== undefined
  const before = query.cursor ? fromCursor(query.cursor) : null
  const { page, total } = type === undefined ? wholeRange(per_page, filtered) : ofType(type)
  const isCustom = type === undefined ? sql`false` : sql`public_event_type(${type}) <> ${type}`
  const isTooDeep = filtered && offsetOf(query) >= LIST_DEPTH
  return db.execute<Row>(sql`
    with agent as (
      select a.id as agent_id, s.events, a.platform_since, ${belongsTo(reader, sql`a`)} as owned,
        texts_withheld(o.status, a.texts_withheld_at) as withheld
      from agents a join agent_stats s on s.agent_id = a.id join operators o on o.id = a.operator_id where a.reg = ${reg}
    ), view as materialized (
      select agent_id, owned as whole, withheld and not owned as hidden,
        greatest(case when owned then ${ownFrom(reader)} when withheld and ${isCustom} then events
          else events - ${PUBLIC_EVENTS}::integer end, 0, ${lowest(from)}) as low,
        least(events + 1 ${to === undefined ? sql`` : sql`, ${firstFrom(timestamptz(to))}`}) as high,
        case when owned then ${before}::bigint end as before,
        case when owned and ${query.cursor !== undefined}::boolean then 0 else ${offsetOf(query)}::bigint end as skipped
      from agent
    ), page as (
      select e.id, e.event_type, e.severity, e.metadata, e.reported_by, e.source, e.platform, e.created_at, e.seq, v.hidden,
        ${redactionOf(sql`e.id`)} as redacted
      from view v cross join lateral (
        select * from activity_events e
        where ${page.condition} order by ${page.order} limit ${isTooDeep ? 0 : per_page + 1}::integer offset ${page.offset}
      ) e
    )
    select v.whole, v.hidden, ${total}::integer as total,
      (select count(*) from page) > ${per_page}::integer as more,
      coalesce((select json_agg(json_build_object('id', id,
        'event_type', case when hidden then public_event_type(event_type) else event_type end, 'severity', severity,
        'metadata', case when hidden or redacted is not null then '{}'::jsonb else metadata end,
        'reported_by', reported_by, 'source', source, 'platform', platform,
        'created_at', wire_time(created_at), 'redacted', redacted, 'seq', seq)
        order by seq desc)
        from (select * from page order by seq desc limit ${per_page}::integer) shown), '[]'::json) as data
    from view v`)
}

/** The result of `selectActivity` as a page; null if there is no such agent. */
export function toActivity({ rows: [row] }: { rows: Row[] }): Activity | null {
  if (!row) return null
  const { data, more, ...page } = row
  const last = data.at(-1)
  const next_cursor = more && last ? toCursor(last.seq) : null
  const shown = data.map(({ seq, redacted, ...event }) => ({ ...event, ...(redacted && { redacted }) }))
  return { ...page, data: shown, next_cursor }
}

/** Without a type: `seq` has no gaps, so that a page is a range of it and nothing else is read, whatever the plan. */
function wholeRange(perPage: number, isFiltered: boolean) {
  const end = sql`least(v.before, v.high) - v.skipped`
  const found = sql`greatest(0, v.high - v.low - 1)`
  return {
    page: {
      condition: sql`e.agent_id = v.agent_id and e.seq > v.low and e.seq < ${end} and e.seq > ${end} - ${perPage + 2}::integer`,
      order: sql`e.seq desc`,
      offset: sql`0`,
    },
    total: isFiltered ? sql`least(${found}, ${LIST_DEPTH}::integer)` : found,
  }
}

/** With a type: comparing type and `seq` as a row forces the planner to use the index on both. */
function ofType(type: string) {
  const range = (end: SQL) => sql`e.agent_id = v.agent_id
    and (e.event_type, e.seq) > (${type}::text, v.low) and (e.event_type, e.seq) < (${type}::text, ${end})`
  return {
    page: {
      condition: range(sql`least(v.before, v.high)`),
      order: sql`e.event_type desc, e.seq desc`,
      offset: sql`v.skipped`,
    },
    total: sql`(select count(*) from (
      select from activity_events e where ${range(sql`v.high`)} limit ${LIST_DEPTH}::integer) n)`,
  }
}

/** The `seq` before the first event at or after a time: the lower bound of `from`. */
function lowest(from: Date | undefined): SQL {
  return from === undefined ? sql`0` : sql`${firstFrom(timestamptz(from))} - 1`
}

/** The `seq` before the first event that the owner may read; for a platform, the first one since the agent joined it. */
function ownFrom(reader: Actor | null): SQL {
  return reader?.platform_id ? sql`${firstFrom(sql`agent.platform_since`)} - 1` : sql`0`
}

/** The `seq` of the first event at or after a time, or one past the newest. */
function firstFrom(time: SQL): SQL {
  return sql`first_seq(agent.agent_id, agent.events, ${time})`
}

/**
 * A condition on a row of `agents`: the agent belongs to the acting operator, or is on the acting platform, confirmed
 * if the platform requires approval.
 *
 * @param actor null for the public, for which the condition is false
 * @param agent name of the row in the statement
 */
function belongsTo(actor: Actor | null, agent: SQL): SQL {
  if (!actor) return sql`false`
  return actor.platform_id
    ? sql`(${agent}.platform_id is not distinct from ${actor.platform_id}::uuid and (${agent}.platform_state = 'confirmed'
        or exists (select from platforms where id = ${actor.platform_id}::uuid and admission = 'open')))`
    : sql`${agent}.operator_id = ${actor.operator_id}::uuid`
}
