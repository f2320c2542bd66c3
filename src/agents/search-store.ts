import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import {
  type OperatorStatus,
  type PlatformState,
  RECORD_STANDINGS,
  type RecordStanding,
} from '../db/enums.ts'
import { only } from '../db/transaction.ts'
import type { ScoreBasis } from '../trust/basis.ts'
import { scoreBasis } from '../trust/store.ts'
import { LIST_DEPTH, offsetOf } from '../wire/page.ts'
import { type DayOfTasks, recentDays } from './recent-days-store.ts'
import type { SearchItem } from './responses.ts'
import {
  endsInPrefix,
  isPlain,
  numberPrefix,
  type SearchQuery,
  searchQuery,
  toWebSearch,
} from './search-query.ts'

/** From this similarity, a name has the words that are searched for. */
const LIKE = 0.8
const OPERATORS_MAX = 3

/** The orders of a search that can be asked for. */
export const ORDERS = ['score', 'newest'] as const

/** The standings that can be asked for; the others follow from the status of the agent or its operator. */
export const FOUND_STANDINGS = RECORD_STANDINGS.toReversed()

type Found<Item> = { total: number; data: Item[] }

/** `near`: whether no text matches, so that these are agents with names of similar spelling. */
type FoundCards = Found<AgentCard> & { near: boolean }

/** A search of a page. */
type Search = Omit<SearchQuery, 'operator_status'> & {
  /** `any` also lists agents of suspended operators. */
  operator_status?: SearchQuery['operator_status'] | 'any'
  /** Only agents whose verified domain is below this one. */
  under?: string | undefined
  /** Only active agents that had this standing when their score, or an incident, last changed it. */
  standing?: RecordStanding | undefined
  /** Default: by rank if there is a text, else by score. */
  order?: (typeof ORDERS)[number] | undefined
}

/** A search result with the verified fields that pages show, and what its standing is judged from. */
export interface AgentCard extends SearchItem {
  description: string
  domain: string | null
  ownership_verified_at: string | null
  operator_id: string
  operator_name_verified: boolean
  operator_status: OperatorStatus
  platform_state: PlatformState | null
  basis: ScoreBasis
  days: DayOfTasks[]
}

const shownFields = (today: string) => sql`, ${scoreBasis(today, sql`a`)} as basis,
          ${recentDays(today, sql`a.id`)} as days,
          t.description, a.domain, wire_time(a.ownership_verified_at) as ownership_verified_at, a.platform_state,
          o.id as operator_id, t.operator_name_verified, o.status as operator_status`

/**
 * Finds agents, sorted by rank, trust score, and newest first; without a text by trust score and newest first;
 * deactivated ones last. If no text matches, finds names with similar spelling. Ranks and counts at most
 * `LIST_DEPTH`.
 */
export async function searchAgents(db: Db, query: SearchQuery): Promise<Found<SearchItem>> {
  const result = await db.execute<Found<SearchItem>>(search(query))
  return only(result.rows)
}

/**
 * As `searchAgents`, with the fields that pages show.
 *
 * @param today the current UTC day `YYYY-MM-DD`
 */
export async function searchCards(db: Db, query: Search, today: string): Promise<FoundCards> {
  const result = await db.execute<FoundCards>(search(query, shownFields(today)))
  return only(result.rows)
}

/** An operator as a search finds it. */
export interface FoundOperator {
  id: string
  name: string
  name_verified: boolean
  agents: number
}

/** The operators of agents whose name has these words, or nearly, the most similar first. */
export async function findOperators(db: Db, q: string): Promise<FoundOperator[]> {
  const result = await db.execute<FoundOperator & Record<string, unknown>>(sql`
    select o.id, n.name, n.name_verified, o.active_agents as agents
    from operators o cross join lateral public_operator(o) n
    where ${q} <% o.name and word_similarity(${q}, o.name) >= ${LIKE}::real and o.status = 'active'
      and o.active_agents > 0 and cardinality(show_trgm(${q}::text)) > 0
    order by word_similarity(${q}, o.name) desc, o.id limit ${OPERATORS_MAX}::integer`)
  return result.rows
}

/** The active agents with the highest scores, and the total number of agents. */
export async function bestCards(db: Db, count: number, today: string): Promise<FoundCards> {
  const query = searchQuery.parse({ per_page: String(count) })
  const result = await db.execute<FoundCards>(search(query, shownFields(today), sql`not s.deactivated`))
  return only(result.rows)
}

/** @param shown an additional condition for the agents of the page, which does not affect the total */
function search(query: Search, columns?: SQL, shown?: SQL): SQL {
  const number = query.q === undefined ? null : numberPrefix(query.q)
  const isBrowsed = query.q === undefined || number !== null
  const matches = isBrowsed ? browsed(query, number, shown) : matched(query, query.q ?? '')
  const near = isBrowsed ? sql`false` : sql`not exists (select from exact)`
  return sql`
    with ${matches}
    select (select count(*)::integer from (select from counted limit ${LIST_DEPTH}::integer) n) as total, ${columns && sql`${near} as near,`}
      coalesce((select jsonb_agg(to_jsonb(item) - 'place' order by place) from (
        select p.place, a.reg, t.name, a.class, a.status, s.trust_score_overall::text as trust_score_overall,
          s.tasks_completed, t.operator_name ${columns}
        from page p join agents a on a.id = p.id join agent_stats s on s.agent_id = a.id
        join operators o on o.id = a.operator_id cross join lateral public_agent(a, o) t) item), '[]'::jsonb) as data`
}

/**
 * Agents without a text, or by number, read in the order of the ranking index. Every agent has a row in agent_stats, so
 * that a table without a filter is not joined, neither for the count nor for the page.
 */
function browsed(query: Search, number: string | null, shown?: SQL): SQL {
  const ofAgents = agentFilters(query)
  if (number) ofAgents.push(sql`a.reg like ${`${number}%`}`)
  const ofScores = scoreFilters(query)
  const joined = sql`agent_stats s join agents a on a.id = s.agent_id`
  const found = ofAgents.length > 0 ? joined : sql`agent_stats s`
  const [counted, isListed] =
    ofScores.length > 0 ? [found, ofStats(query)] : [sql`agents a`, ofOperators(query)]
  const where = all([...ofAgents, ...ofScores])
  const score = query.order !== 'newest' && sql`s.trust_score_overall desc nulls last,`
  const order = sql`s.deactivated, ${score || sql``} s.agent_id desc`
  return sql`counted as (
      select from ${counted} where ${where} and ${isListed} limit ${LIST_DEPTH}::integer
    ), page as (
      select s.agent_id as id, row_number() over (order by ${order}) as place
      from ${found} where ${where} and ${ofStats(query)} and ${inState(query)} and ${shown ?? sql`true`} order by ${order}
      ${limitOf(query)}
    )`
}

/** Agents whose texts match, ranked; if there are none, those with names of similar spelling. */
function matched(query: Search, q: string): SQL {
  const words = toWebSearch(q)
  const prefix = endsInPrefix(q)
    ? sql`(websearch_to_tsquery('simple', ${words})::text || ':*')::tsquery`
    : null
  // Repeated at each place: as a constant, it lets the planner estimate how few agents a word selects.
  const tsquery = prefix
    ? sql`case when numnode(websearch_to_tsquery('simple', ${words})) > 0 then ${prefix} else ''::tsquery end`
    : sql`websearch_to_tsquery('simple', ${words})`
  // A text without trigrams is similar to no name, and the trigram index would be scanned completely.
  const spells = sql`cardinality(show_trgm(${q}::text)) > 0`
  const from = sql`from agents a join agent_stats s on s.agent_id = a.id`
  const order = sql.join([sql`deactivated`, ...ORDER[query.order ?? 'rank'], sql`id desc`], sql`, `)
  return sql`exact as materialized (
      select a.id, s.deactivated, s.trust_score_overall, ts_rank(a.search, ${tsquery}) as rank
      ${from} where a.search @@ ${tsquery} and ${filters(query)} limit ${LIST_DEPTH}::integer
    ), alike as materialized (
      select a.id, s.deactivated, s.trust_score_overall, word_similarity(${q}, a.name) as rank
      ${from} where ${isPlain(q)}::boolean and ${spells} and not exists (select from exact) and ${q} <% a.name
        and a.texts_withheld_at is null and ${filters(query)}
      limit ${LIST_DEPTH}::integer
    ), counted as (
      select * from exact union all select * from alike
    ), page as (
      select id, row_number() over (order by ${order}) as place from counted order by ${order}
      ${limitOf(query)}
    )`
}

const SCORE = sql`trust_score_overall desc nulls last`
const ORDER = { rank: [sql`rank desc`, SCORE], score: [SCORE], newest: [] }

function limitOf(query: Search): SQL {
  return sql`limit ${query.per_page}::integer offset ${offsetOf(query)}::integer`
}

function filters(query: Search): SQL {
  return all([...agentFilters(query), ...scoreFilters(query), ofStats(query)])
}

function all(conditions: readonly SQL[]): SQL {
  return sql.join([sql`true`, ...conditions], sql` and `)
}

/** The filter by the status of the operator on the first column of the ranking index. */
function ofStats({ operator_status = 'active' }: Search): SQL {
  if (operator_status === 'any') return sql`true`
  return operator_status === 'suspended' ? sql`s.suspended` : sql`not s.suspended`
}

/** The same filter without the ranking index. */
function ofOperators({ operator_status = 'active' }: Search): SQL {
  if (operator_status === 'any') return sql`true`
  const suspended = sql`(select id from operators where status = 'suspended')`
  return operator_status === 'suspended'
    ? sql`a.operator_id in ${suspended}`
    : sql`a.operator_id not in ${suspended}`
}

/** The filter by status on the second column of the ranking index, which limits the range that is read. */
function inState({ status, min_score }: Search): SQL {
  if (status === undefined && min_score === undefined) return sql`true`
  const states = status === undefined ? '{false,true}' : status === 'deactivated' ? '{true}' : '{false}'
  return sql`s.deactivated = any (${states}::boolean[])`
}

function scoreFilters({ min_score, standing }: Search): SQL[] {
  const conditions: SQL[] = []
  if (min_score !== undefined) conditions.push(sql`s.trust_score_overall >= ${min_score}::numeric`)
  if (standing !== undefined) conditions.push(sql`not s.deactivated and ${hasStanding(standing)}`)
  return conditions
}

/** An open critical incident comes before the standing that follows from the score. */
function hasStanding(standing: RecordStanding): SQL {
  const isOpen = sql`(s.open_incident_count > 0 and exists (
    select from incidents i where i.agent_id = s.agent_id and i.status = 'open' and i.severity = 'critical'))`
  const isRecord = sql`coalesce(s.record_standing, 'unrated') = ${standing}`
  return standing === 'critical' ? sql`(${isRecord} or ${isOpen})` : sql`(${isRecord} and not ${isOpen})`
}

function agentFilters(query: Search): SQL[] {
  const conditions: SQL[] = []
  if (query.operator_status === 'suspended' && findsByText(query)) conditions.push(sql`false`)
  if (query.class) conditions.push(sql`a.class = ${query.class}`)
  if (query.status) conditions.push(sql`a.status = ${query.status}`)
  if (query.ownership_status) conditions.push(sql`a.ownership_status = ${query.ownership_status}`)
  if (query.specialization) {
    conditions.push(
      sql`a.specializations @> array[${query.specialization}]::text[] and a.texts_withheld_at is null`,
    )
  }
  if (query.operator) conditions.push(sql`a.operator_id = ${query.operator}::uuid`)
  if (query.domain) conditions.push(sql`a.domain = ${query.domain}`)
  if (query.under) conditions.push(sql`reverse(a.domain) like reverse(${query.under}) || '.%'`)
  if (query.platform) {
    conditions.push(sql`a.platform_id = (select id from platforms where slug = ${query.platform})`)
  }
  return conditions
}

/** Whether a search reads texts of agents. Those of suspended operators are withheld, and are not found by them. */
function findsByText({ q, specialization }: Search): boolean {
  return specialization !== undefined || (q !== undefined && numberPrefix(q) === null)
}
