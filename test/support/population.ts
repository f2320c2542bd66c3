import type pg from 'pg'
import { makeToken } from '../../src/credentials/token.ts'
import { SOURCES } from '../../src/db/enums.ts'
import { QUOTAS } from '../../src/db/tiers.ts'
import { hashSecret } from '../../src/lib/crypto.ts'
import { bulk } from './bulk.ts'

const CHUNK = 10_000
export const AGENTS_PER_OPERATOR = 50
const WINDOW_DAYS = 90
const ENTERPRISE = QUOTAS.enterprise
const TABLES = ['activity_events', 'agents', 'agent_evidence', 'agent_stats', 'trust_scores', 'operators']

export interface Population {
  agents: number
  eventsPerAgent: number
  /**
   * The number of days on which each agent has self-reports. The first `fullAgents` have reports of three sources on
   * every day of the window, so that their scores read as many rows as possible.
   */
  days: number
  fullAgents: number
}

/** Ids that sort by number, like those created at one time. */
export const idSql = (kind: string | number, n = 'n') =>
  `('${kind}0000000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`

/** The id of the n-th agent. */
export const agentId = (n: number) => `20000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

/** A unique word of ten letters for a number. */
const word = (n: string) =>
  `left(translate(lower(encode(sha256((${n})::text::bytea), 'base64')), '0123456789+/=', ''), 10)`

/**
 * Makes API keys of the first operator, each with the highest rate limit; returns their full texts.
 *
 * @param credentialsKey CREDENTIALS_KEY of the Worker that must accept them
 */
export async function makeKeys(client: pg.Client, count: number, credentialsKey = ''): Promise<string[]> {
  const keys: string[] = []
  while (keys.length < count) keys.push(await makeKey(client, credentialsKey))
  return keys
}

async function makeKey(client: pg.Client, credentialsKey: string): Promise<string> {
  const key = await makeToken('key', credentialsKey.split(','))
  const { salt, secret_hash } = await hashSecret(key.secret)
  await client.query(
    `insert into api_keys (id, operator_id, name, key_prefix, salt, secret_hash, permissions, rate_limit_per_minute, created_at)
     values (gen_random_uuid(), ${idSql(1, '0')}, 'bench', $1, $2, $3, '{read,activity:report}', $4, now())`,
    [key.id, salt, secret_hash, ENTERPRISE.key_requests_per_minute],
  )
  return key.text
}

/**
 * Fills empty tables with agents, their logs, rollups, counters and scores, as after reports and yesterday's
 * snapshots. Eight agents each share a word of their name, and one of their description.
 *
 * @param url connection string of the database owner, a superuser
 */
export async function fill(
  url: string,
  population: Population,
  progress: (agents: number) => void,
): Promise<void> {
  const { agents } = population
  let done = 0
  const chunks = Array.from({ length: Math.ceil(agents / CHUNK) }, (_, n) => n * CHUNK)
  const work = chunks.map((from) => async (lanes: pg.Pool) => {
    const to = Math.min(agents, from + CHUNK) - 1
    for (const statement of STATEMENTS) await lanes.query(statement(from, to, population))
    done += to + 1 - from
    progress(done)
  })
  await bulk(url, TABLES, work)
}

type Statement = (from: number, to: number, population: Population) => string

const operatorsOf: Statement = (from, to) => `
  insert into operators (id, issuer, subject, email, name, tier, agent_limit, notification_prefs, digest_week, created_at, updated_at)
  select ${idSql(1, 'o')}, 'bench', o::text, o || '@example.com', 'Operator ' || o, 'enterprise', ${ENTERPRISE.active_agents}, '{}', '2999-01-07', now(), now()
  from generate_series(${Math.ceil(from / AGENTS_PER_OPERATOR)}, ${Math.floor(to / AGENTS_PER_OPERATOR)}) o`

const agentsOf: Statement = (from, to) => `
  insert into agents (id, reg, operator_id, name, description, class, specializations, registered_at)
  select ${idSql(2, 'i')}, agent_number(2025, 1 + i / 9999, 1 + i % 9999), ${idSql(1, `i / ${AGENTS_PER_OPERATOR}`)},
    'Assistant ' || ${word('i / 8')} || ' ' || i,
    'An assistant for word' || (i % 1000) || ' of group w' || lpad((i / 8)::text, 7, '0'),
    (array['A', 'S', 'H'])[1 + i % 3], array['common', 't' || (i / 8)], now() - interval '100 days'
  from generate_series(${from}, ${to}) i`

const statsOf: Statement = (from, to, { eventsPerAgent: events }) => `
  insert into agent_stats (agent_id, events, tasks_completed, response_count, response_ms, last_active_at,
    trust_score_overall, trust_score_updated, scored_day, score_revision)
  select ${idSql(2, 'i')}, ${events}, ${events}, ${events}, 1500 * ${events}, now(), ${SCORE}, now(), ${YESTERDAY}, 1
  from generate_series(${from}, ${to}) i`

const scoresOf: Statement = (from, to, { eventsPerAgent: events }) => `
  insert into trust_scores (agent_id, day, overall, reliability, accuracy, safety, speed, consistency,
    events_considered, algorithm_version, inputs_sha256, computed_at)
  select ${idSql(2, 'i')}, ${YESTERDAY}, ${SCORE}, 90, 90, 100, 80, 70, ${events}, '1.0', md5(i::text), now()
  from generate_series(${from}, ${to}) i`

const YESTERDAY = `(now() at time zone 'utc')::date - 1`
const FULL_SOURCES = `'{${SOURCES.filter((source) => source !== 'unproven')}}'::report_source[]`
const SCORE = '(i::bigint * 7919 % 990) / 10.0'

const daysOf: Statement = (from, to, { eventsPerAgent: events, days, fullAgents }) => `
  insert into agent_evidence (agent_id, day, source, events, completed, graded_count, graded_milli, latency_count,
    latency_satisfied)
  select ${idSql(2, 'i')}, (now() at time zone 'utc')::date - d, source, n, n, n, 950 * n, n, n
  from generate_series(${from}, ${to}) i
  cross join lateral (select case when i < ${fullAgents} then ${WINDOW_DAYS} else ${days} end as days,
    case when i < ${fullAgents} then ${FULL_SOURCES} else '{self}' end as sources) w
  cross join lateral generate_series(0, w.days - 1) d cross join lateral unnest(w.sources) source
  cross join lateral (select greatest(1, ${events} / w.days / cardinality(w.sources)) as n) t`

/** Ordered by time, so that the events of one agent are far apart. */
const eventsOf: Statement = (from, to, { eventsPerAgent: events }) => `
  insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
  select gen_random_uuid(), ${idSql(2, 'i')}, s, 'task_completed', 'info', '{"response_ms": 1500, "quality": 0.95}',
    'operator', now() - make_interval(mins => ${events} - s)
  from generate_series(${from}, ${to}) i cross join generate_series(1, ${events}) s order by s`

const STATEMENTS = [operatorsOf, agentsOf, statsOf, scoresOf, daysOf, eventsOf]
