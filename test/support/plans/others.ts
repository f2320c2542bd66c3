import type pg from 'pg'
import { bulk } from '../bulk.ts'
import { idSql as id } from '../population.ts'

const PERIOD_SECONDS = 2_599_200 // 30 days and two hours, so that a few rows are expired
const FOLDS = 1_440 // one per minute, kept for a day

const TABLES = [
  'webhook_deliveries',
  'webhook_events',
  'webhook_attempts',
  'sessions',
  'notifications',
  'mails',
  'incidents',
  'idempotency_keys',
  'audit_log',
  'agents',
  'operators',
  'api_keys',
  'ownership_challenges',
  'kyc_checks',
  'platforms',
  'usage_folds',
]

const PREFS = '{"trust_alerts": true, "incident_alerts": true, "weekly_digest": true, "kyc_reminders": true}'

/** The numbers of agents, of their operators, and of the rows in other tables. */
export interface Sizes {
  agents: number
  operators: number
  platforms: number
  some: number
  many: number
}

/**
 * Fills the other tables, including some expired rows.
 *
 * @param url the owner of the database, a superuser
 */
export async function fillOthers(url: string, sizes: Sizes): Promise<void> {
  const { agents, operators, platforms, some, many } = sizes
  const operator = id('1', `n % ${operators}`)
  const agent = id('2', `(n::bigint * 7919 % ${agents})::integer`)
  const ago = `now() - n * interval '${PERIOD_SECONDS / many} seconds'`
  const statements = [
    `update operators set active_agents = 50, notification_prefs = '${PREFS}', kyc_identity = id::text where issuer = 'bench'`,
    // Operators without agents that have received their digest.
    `insert into operators (id, issuer, subject, email, name, agent_limit, notification_prefs, digest_week, created_at, updated_at)
     select ${id('d')}, 'others', n, n || '@example.net', 'Operator', 3, '{}', '2999-01-07', now(), now()
     from generate_series(1, ${some}) n`,
    `insert into platforms (id, operator_id, slug, name, webhook_secret, created_at)
     select ${id('4')}, ${operator}, 'bench-' || n, 'Platform', 'x', now() from generate_series(1, ${platforms}) n`,
    `update agents a set platform_id = ${id('4', 'n')}, platform_state = 'confirmed' from generate_series(1, ${platforms}) n where a.id = ${id('2', 'n * 4')}`,
    `update agents a set platform_leaves_at = now() + (n - 5) * interval '1 hour', next_platform_id = ${id('4', '1')}
     from generate_series(1, ${platforms / 4}) n where a.id = ${id('2', 'n * 4')}`,
    `insert into sessions (id, operator_id, salt, secret_hash, ip, user_agent, created_at, expires_at)
     select 's' || n, ${operator}, 'x', 'x', 'x', 'x', now() - n * interval '${12_000_000 / many} seconds',
       now() - n * interval '${12_000_000 / many} seconds' + interval '30 days' from generate_series(1, ${many}) n`,
    `insert into api_keys (id, operator_id, name, key_prefix, salt, secret_hash, permissions, created_at)
     select ${id('5')}, ${operator}, 'k', 'k' || n, 'x', 'x', '{read}', now() from generate_series(1, ${some}) n`,
    `insert into notifications (id, operator_id, type, title, body, created_at)
     select ${id('6')}, ${operator}, 'incident_alert', 't', 'b', ${ago} from generate_series(1, ${many}) n`,
    `insert into mails (id, operator_id, type, status, attempts, published_at, created_at)
     select ${id('6')}, ${operator}, 'incident_alert', status, 1,
       case status when 'pending' then now() end, ${ago}
     from generate_series(1, ${many}) n, lateral (select case when n <= 500 then 'pending' else 'sent' end as status) s`,
    `insert into incidents (id, agent_id, event_id, reported_by, source, title, description, severity, created_at)
     select ${id('7')}, ${agent}, ${id('7')}, 'operator', 'self', 't', 'd', 'info', ${ago} from generate_series(1, ${many}) n`,
    `insert into ownership_challenges (id, agent_id, domain, method, token, created_at, expires_at, verified_at, checked_at)
     select ${id('8')}, ${id('2')}, 'a.example', 'dns', 'x', ${ago}, ${ago}, ${ago}, now() - n * interval '${610_000 / some} seconds'
     from generate_series(1, ${Math.min(some, agents - 1)}) n`,
    `insert into webhook_events (id, type, created_at, data)
     select 'evt_' || n, 'agent.updated', ${ago}, '{}' from generate_series(1, ${many}) n`,
    `insert into webhook_deliveries (id, event_id, platform_id, type, status, attempts, next_attempt_at, published_at, created_at)
     select ${id('9')}, 'evt_' || n, ${id('4', `1 + n % ${platforms}`)}, 'agent.updated', status, 1,
       case status when 'pending' then now() + interval '1 hour' end, case status when 'pending' then now() end, ${ago}
     from generate_series(1, ${many}) n, lateral (select case when n <= 500 then 'pending' when n % 50 = 0 then 'failed'
       else 'delivered' end as status) s`,
    `insert into webhook_attempts (delivery_id, number, started_at, duration_ms, response_status)
     select ${id('9')}, 1, ${ago}, 5, 200 from generate_series(1, ${many}) n`,
    `insert into idempotency_keys (scope, body_sha256, answer, created_at)
     select md5(n::text), 'x', '{}', now() - n * interval '${400_000 / many} seconds' from generate_series(1, ${many / 2}) n`,
    `insert into kyc_checks (id, operator_id, provider, provider_session_id, status, previous_status, created_at, completed_at)
     select ${id('a')}, ${operator}, 'stripe', 'vs_' || n, 'verified', 'unverified', ${ago}, ${ago}
     from generate_series(1, ${some}) n`,
    `insert into audit_log (id, operator_id, action, created_at)
     select ${id('b')}, ${operator}, 'session.created', ${ago} from generate_series(1, ${many}) n`,
    `insert into usage_folds (id, folded_at) select ${id('c')}, ${ago} from generate_series(1, ${FOLDS}) n`,
  ]
  await bulk(
    url,
    TABLES,
    statements.map((statement) => (lanes: pg.Pool) => lanes.query(statement)),
  )
}
