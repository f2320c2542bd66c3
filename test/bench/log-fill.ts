import type pg from 'pg'

const CHUNK = 250_000
const DAY_MS = 86_400_000
const DAYS = 89
/** A tenth of all events is of one agent, the others have this many each. */
const SMALL_EVENTS = 1_000

const AGENT_ID = (n: string) => `('00000000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`

/**
 * Fills the log with events of the last 90 days, in the order of time, so that those of an agent lie far apart. Its
 * counters and rollup rows are left to the rebuild.
 *
 * @param operatorId whose agents they are
 * @returns the numbers of the agent with a tenth of the events and of one with 1,000
 */
export async function fillLog(client: pg.Client, operatorId: string, events: number) {
  const others = Math.ceil((events * 0.9) / SMALL_EVENTS)
  const from = Date.now() - DAYS * DAY_MS
  await client.query('set synchronous_commit = off')
  await client.query(`set maintenance_work_mem = '256MB'`)
  const { rows } = await client.query<{ reg: string }>(
    `insert into agents (id, reg, operator_id, name, description, class, specializations, registered_at)
     select ${AGENT_ID('n')}, agent_number(1900, 1 + n / 9999, 1 + n % 9999), $1, 'Agent ' || n, '', 'A', '{}', $2
     from generate_series(0, $3::integer) n returning reg`,
    [operatorId, new Date(from).toISOString(), others],
  )
  await client.query('insert into agent_stats (agent_id) select id from agents')
  // Made after the fill, in a tenth of the time.
  const { rows: indexes } = await client.query<{ name: string; made: string }>(
    `select indexname as name, indexdef as made from pg_indexes
     where tablename = 'activity_events' and indexname <> 'activity_events_pkey'`,
  )
  for (const { name } of indexes) await client.query(`drop index ${name}`)
  for (let start = 0; start < events; start += CHUNK) {
    const end = Math.min(events, start + CHUNK)
    await client.query(chunk(others), [start, end - 1, from, (DAYS * DAY_MS) / events])
    process.stderr.write(`\rfilled ${end} of ${events} events `)
  }
  for (const { made } of indexes) await client.query(made)
  process.stderr.write('\n')
  await client.query('vacuum analyze activity_events')
  const [large, small] = rows
  if (!large || !small) throw new Error('too few events')
  return { large: large.reg, small: small.reg, others }
}

/** Event n is the large agent's when 10 divides n; the others take turns. */
const chunk = (others: number) => `
  insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
  select (lpad(to_hex(ms), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid,
    ${AGENT_ID(`case when n % 10 = 0 then 0 else 1 + k % ${others} end`)},
    case when n % 10 = 0 then n / 10 else k / ${others} end + 1, event_type, 'info',
    case when event_type like 'task%' then jsonb_build_object('response_ms', 100 + hash % 5000, 'quality', 0.9)
      else '{}' end,
    'operator', to_timestamp(ms / 1000.0)
  from (select n, n - n / 10 - 1 as k, hash, $3::bigint + floor(n * $4::float8)::bigint as ms,
      case when hash % 1000 < 600 then 'task_completed' when hash % 1000 < 680 then 'task_failed'
        when hash % 1000 < 998 then 'heartbeat' else 'rare' end as event_type
    from (select n, hashint8(n)::bigint & 1048575 as hash from generate_series($1::bigint, $2::bigint) n) g) e
  order by n`
