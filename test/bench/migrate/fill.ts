import type pg from 'pg'

const CHUNK = 250_000
const PER_OPERATOR = 50

const id = (kind: number, n: string) =>
  `('${kind}0000000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`

/** The id of the n-th agent. */
export const agentId = (n: number) => `20000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

/**
 * Fills a database at the baseline: agents on a platform, half of them with a verified domain, and their log.
 *
 * @param client a superuser
 */
export async function fillBaseline(
  client: pg.Client,
  agents: number,
  events: number,
  progress: (events: number) => void,
): Promise<void> {
  const operators = Math.ceil(agents / PER_OPERATOR)
  await client.query(`
    set synchronous_commit = off;
    insert into operators (id, issuer, subject, email, name, agent_limit, notification_prefs, digest_week, created_at, updated_at)
    select ${id(1, 'n')}, 'bench', n, n || '@example.com', 'Operator ' || n, 10000, '{}', now(), now(), now()
    from generate_series(0, ${operators - 1}) n;
    insert into platforms (id, operator_id, slug, name, webhook_secret, created_at)
    values (${id(4, '0')}, ${id(1, '0')}, 'bench', 'Bench', '', now());
    insert into agents (id, reg, operator_id, platform_id, name, description, class, ownership_status, specializations, registered_at)
    select ${id(2, 'n')}, 'REG-2026-' || lpad((n / 9999)::text, 4, '0') || '-' || lpad((n % 9999)::text, 4, '0') || '-0',
      ${id(1, `n / ${PER_OPERATOR}`)}, ${id(4, '0')}, 'Agent ' || n, '', 'A',
      case n % 2 when 0 then 'verified' else 'unverified' end, '{}', now()
    from generate_series(0, ${agents - 1}) n;
    insert into agent_stats (agent_id, events) select id, 0 from agents;
    insert into ownership_challenges (id, agent_id, domain, method, token, created_at, expires_at, verified_at)
    select ${id(5, 'n')}, ${id(2, 'n')}, 'agent' || n || '.example.com', 'dns', n, now(), now(), now()
    from generate_series(0, ${agents - 1}, 2) n`)
  const { rows: indexes } = await client.query<{ name: string; made: string }>(
    `select indexname as name, indexdef as made from pg_indexes
     where tablename = 'activity_events' and indexname <> 'activity_events_pkey'`,
  )
  for (const { name } of indexes) await client.query(`drop index ${client.escapeIdentifier(name)}`)
  for (let from = 0; from < events; from += CHUNK) {
    const to = Math.min(events, from + CHUNK)
    await client.query(`
      insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
      select ${id(6, 'n')}, ${id(2, `n % ${agents}`)}, n / ${agents} + 1, 'task_completed', 'info',
        jsonb_build_object('response_ms', n % 5000, 'quality', 0.9), 'operator', now()
      from generate_series(${from}, ${to - 1}) n`)
    progress(to)
  }
  for (const { made } of indexes) await client.query(made)
  await client.query(`
    update agent_stats s set events = e.events
    from (select agent_id, max(seq) as events from activity_events group by agent_id) e where e.agent_id = s.agent_id;
    analyze`)
}
