import type pg from 'pg'
import { makeApiKey } from '../../../src/auth/token.ts'
import { hashSecret } from '../../../src/lib/crypto.ts'

const CHUNK = 10_000
const AGENTS_PER_OPERATOR = 50
const DAYS_OF_MOST = 10
/** The first agents have reported on every day of the window: what is measured reads the most rows there are. */
export const FULL_AGENTS = 500
const WINDOW_DAYS = 90

/** Ids that sort by number, as those of one moment do. */
const id = (kind: number, n: string) =>
  `('${kind}0000000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`

/** Makes an API key of the first operator, with a limit that is never reached; answers its text. */
export async function makeKey(client: pg.Client): Promise<string> {
  const key = makeApiKey()
  const { salt, secret_hash } = await hashSecret(key.secret)
  await client.query(
    `insert into api_keys (id, operator_id, name, key_prefix, salt, secret_hash, permissions, rate_limit_per_minute, created_at)
     values (${id(3, '0')}, ${id(1, '0')}, 'bench', $1, $2, $3, '{read,activity:report}', 1000000000, now())`,
    [key.id, salt, secret_hash],
  )
  return key.text
}

/**
 * Adds agents with their logs, rollups and counters, as reports would have left them.
 *
 * @param from number of the first agent, to that after the last
 * @param eventsPerAgent how many events each has in its log
 */
export async function addAgents(
  client: pg.Client,
  { from, to, eventsPerAgent }: { from: number; to: number; eventsPerAgent: number },
  progress: (done: number) => void,
): Promise<void> {
  for (let start = from; start < to; start += CHUNK) {
    const end = Math.min(to, start + CHUNK) - 1
    for (const statement of [operatorsOf, agentsOf, daysOf])
      await client.query(statement(start, end, eventsPerAgent))
    await client.query(eventsOf(start, end, eventsPerAgent))
    progress(end + 1)
  }
  for (const table of ['agents', 'agent_stats', 'agent_daily', 'activity_events', 'operators']) {
    await client.query(`vacuum (analyze) ${table}`)
  }
  await client.query('checkpoint')
}

const operatorsOf = (from: number, to: number) => `
  insert into operators (id, issuer, subject, email, name, agent_limit, notification_prefs, created_at, updated_at)
  select ${id(1, 'o')}, 'bench', o::text, o || '@example.com', 'Operator ' || o, 10000, '{}', now(), now()
  from generate_series(${Math.ceil(from / AGENTS_PER_OPERATOR)}, ${Math.floor(to / AGENTS_PER_OPERATOR)}) o
  on conflict do nothing`

const agentsOf = (from: number, to: number, events: number) => `
  with agent as (
    insert into agents (id, reg, operator_id, name, description, class, specializations, registered_at)
    select ${id(2, 'i')}, agent_number(2026, 1 + i / 9999, 1 + i % 9999), ${id(1, `i / ${AGENTS_PER_OPERATOR}`)},
      'Assistant number ' || i, 'An assistant for word' || (i % 1000) || ' of group w' || (i / 8),
      (array['A', 'S', 'H'])[1 + i % 3], array['common', 't' || (i / 8)], now() - interval '100 days'
    from generate_series(${from}, ${to}) i
    returning id
  )
  insert into agent_stats (agent_id, events, tasks_completed, response_count, response_ms, last_active_at)
  select id, ${events}, ${events}, ${events}, 1500 * ${events}, now() from agent`

const daysOf = (from: number, to: number, events: number) => `
  insert into agent_daily (agent_id, day, events, completed, graded_count, graded_milli, latency_count, latency_ms,
    latency_satisfied, latency_log_micro)
  select ${id(2, 'i')}, (now() at time zone 'utc')::date - d, n, n, n, 950 * n, n, 1500 * n, n, 7313220 * n
  from generate_series(${from}, ${to}) i
  cross join lateral (select case when i < ${FULL_AGENTS} then ${WINDOW_DAYS} else ${DAYS_OF_MOST} end as days) w
  cross join lateral generate_series(0, w.days - 1) d
  cross join lateral (select greatest(1, ${events} / w.days) as n) t`

/** Ids are random: what is new in a log does not come in the order of one index alone. */
const eventsOf = (from: number, to: number, events: number) => `
  insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
  select gen_random_uuid(), ${id(2, 'i')}, s, 'task_completed', 'info', '{"response_ms": 1500, "quality": 0.95}',
    'operator', now() - make_interval(mins => ${events} - s)
  from generate_series(${from}, ${to}) i cross join generate_series(1, ${events}) s order by s`
