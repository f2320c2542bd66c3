import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appendBatch, appendEvent } from '../../src/activity/append-store.ts'
import { listActivity } from '../../src/activity/list-store.ts'
import type { SearchQuery } from '../../src/agents/search-query.ts'
import { searchAgents } from '../../src/agents/search-store.ts'
import { findAgent, registerAgent } from '../../src/agents/store.ts'
import { updateAgent } from '../../src/agents/update-store.ts'
import { findKey, findSession } from '../../src/credentials/store.ts'
import { findHealth } from '../../src/health/store.ts'
import { listIncidents, resolveIncident } from '../../src/incidents/store.ts'
import { listKeys } from '../../src/keys/store.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { findDigestsDue, sendDigests } from '../../src/notifications/digest-store.ts'
import { listNotifications, readAll } from '../../src/notifications/store.ts'
import { findOperator, listAgents, sumUp } from '../../src/operators/store.ts'
import { findDueProofs } from '../../src/ownership/recheck-store.ts'
import { findStanding } from '../../src/ownership/store.ts'
import { findEvidence, findInputs, listScores } from '../../src/trust/store.ts'
import { newEvent } from '../../src/webhooks/outbox/events.ts'
import { findUnpublished } from '../../src/webhooks/outbox/sweep-store.ts'
import { claimAttempt } from '../../src/webhooks/relay/claim-store.ts'
import { shared } from '../support/harness.ts'
import { idSql, plansDatabase, uuidOf } from '../support/plans.ts'

const h = shared()

const { db, fill, drop, plansOf, rowsRead } = plansDatabase(h)

const NOW = new Date('2026-11-21T12:00:00Z')
const TODAY = '2026-11-21'
const AGENT = uuidOf('a', 1)
const OPERATOR = uuidOf('0', 1)
const ACTOR = { operator_id: OPERATOR, platform_id: null }
/** To whom AGENT belongs. */
const REPORTER = { operator_id: uuidOf('0', 2), platform_id: null }
const REG = 'REG-2026-0001-0001'

const FILL = `
  insert into operators (id, issuer, subject, email, name, agent_limit, active_agents, notification_prefs, digest_week, created_at, updated_at)
    select ${idSql('0')}, 'i', 's' || n, n || '@example.com', 'Operator ' || n, 1000, 30, '{}',
      case n when 1 then '2026-11-09'::date else '2026-11-16' end, now(), now() from generate_series(1, 1000) n;
  insert into platforms (id, operator_id, slug, name, webhook_secret, created_at)
    select ${idSql('1')}, ${idSql('0', '1 + n % 1000')}, 'platform-' || n, 'P', 'x', now() from generate_series(1, 5000) n;
  insert into agents (id, reg, operator_id, platform_id, name, description, class, status, ownership_status, specializations, registered_at)
    select ${idSql('a')}, 'REG-2026-' || lpad((1 + n / 10000)::text, 4, '0') || '-' || lpad((n % 10000)::text, 4, '0') || '-0',
      ${idSql('0', '1 + n % 1000')}, ${idSql('1', '1 + n % 5000')}, 'Agent ' || md5(n::text), md5('d' || n), 'A',
      case when n % 500 = 0 then 'deactivated' else 'active' end,
      case when n % 400 = 0 then 'verified' else 'unverified' end,
      array['tag' || n % 150, 'all'], now() from generate_series(1, 15000) n;
  insert into agent_stats (agent_id, events, trust_score_overall, unscored_since)
    select id, 100, round((random() * 100)::numeric, 1), case when random() < 0.001 then now() end from agents;
  update agent_stats set events = 20000 where agent_id = '${AGENT}';
  insert into activity_events (id, agent_id, seq, event_type, severity, metadata, reported_by, created_at)
    select gen_random_uuid(), '${AGENT}', n, 'type' || n % 40, 'info', '{}'::jsonb, 'operator',
      '2026-11-01'::timestamptz + n * interval '1 minute' from generate_series(1, 20000) n
    union all
    select gen_random_uuid(), ${idSql('a', '2 + n / 100')}, 1 + n % 100, 'type1', 'info', '{}'::jsonb, 'operator', now()
      from generate_series(0, 9999) n;
  insert into agent_daily (agent_id, day, events)
    select ${idSql('a', '1 + n / 90')}, '2026-11-21'::date - n % 90, 1 from generate_series(0, 17999) n;
  insert into trust_scores (agent_id, day, overall, reliability, accuracy, safety, speed, consistency, events_considered,
      algorithm_version, inputs_sha256, computed_at)
    select agent_id, day, 1, 1, 1, 1, 1, 1, 1, '1.0', 'x', now() from agent_daily;
  insert into sessions (id, operator_id, salt, secret_hash, ip, user_agent, created_at, expires_at)
    select 's' || n, ${idSql('0', '1 + n % 1000')}, 'x', 'x', 'x', 'x', now(), now() + interval '1 day' from generate_series(1, 8000) n;
  insert into api_keys (id, operator_id, name, key_prefix, salt, secret_hash, permissions, created_at)
    select ${idSql('2')}, ${idSql('0', '1 + n % 1000')}, 'k', 'k' || n, 'x', 'x', '{read}', now() from generate_series(1, 8000) n;
  insert into notifications (id, operator_id, type, title, body, created_at)
    select ${idSql('3')}, ${idSql('0', '1 + n % 1000')}, 'trust_alert', 't', 'b', now() from generate_series(1, 8000) n;
  insert into incidents (id, agent_id, event_id, title, description, severity, created_at)
    select ${idSql('4')}, ${idSql('a')}, ${idSql('5')}, 't', 'd', 'info', now() from generate_series(1, 8000) n;
  insert into ownership_challenges (id, agent_id, domain, method, token, created_at, expires_at, verified_at, checked_at)
    select ${idSql('7')}, ${idSql('a')}, 'a.example', 'dns', 'x', '2026-11-15', '2026-11-22', '2026-11-15',
      '2026-11-21T12:00:00Z'::timestamptz - n * interval '605 seconds' * 0.1 from generate_series(1, 10020) n;
  insert into webhook_events (id, type, created_at, data)
    select 'evt_' || n, 'agent.updated', now(), '{}' from generate_series(1, 8000) n;
  insert into webhook_deliveries (id, event_id, platform_id, type, status, next_attempt_at, created_at)
    select ${idSql('6')}, 'evt_' || n, ${idSql('1', '1 + n % 5000')}, 'agent.updated', case when n % 200 = 0 then 'pending' else 'delivered' end,
      case when n % 200 = 0 then now() end, now() from generate_series(1, 8000) n;
  insert into webhook_attempts (delivery_id, number, started_at)
    select id, 1, now() from webhook_deliveries where status = 'delivered';
  insert into idempotency_keys (scope, body_sha256, answer, created_at)
    select md5(n::text), 'x', '{}', now() from generate_series(1, 8000) n;
`

beforeAll(() => fill(FILL))
afterAll(drop)

const page = { page: 1, per_page: 20 }
const event = (event_type: string) => ({
  id: uuidv7(NOW),
  input: { reg: `${REG}-0`, event_type, severity: 'info' as const, metadata: {} },
  incident: event_type === 'incident' ? { id: uuidv7(NOW), event: newEvent('incident.created', NOW) } : null,
})
const repeatable = () => ({ scope: randomUUID(), body_sha256: 'x', now: NOW })

const HOT: [title: string, work: () => Promise<unknown>, indexes: string[]][] = [
  ['a session is looked up', () => findSession(db, 's77', NOW), ['sessions_pkey', 'operators_pkey']],
  [
    'the digests of a week are sent',
    async () => sendDigests(db, NOW, await findDigestsDue(db, NOW, 200)),
    [
      'operators_digest',
      'agents_operator',
      'incidents_resolved',
      'agent_daily_agent_id_day_pk',
      'incidents_agent',
      'trust_scores_agent_id_day_pk',
    ],
  ],
  ['a key is looked up', () => findKey(db, 'k77', NOW), ['api_keys_prefix', 'operators_pkey']],
  [
    'a profile is read',
    () => findAgent(db, `${REG}-0`, TODAY),
    ['agents_reg', 'agent_daily_agent_id_day_pk'],
  ],
  [
    'a score is computed',
    () => findInputs(db, `${REG}-0`, TODAY),
    ['agents_reg', 'agent_daily_agent_id_day_pk'],
  ],
  [
    'a score is explained',
    () => findEvidence(db, `${REG}-0`, TODAY),
    ['agents_reg', 'agent_daily_agent_id_day_pk'],
  ],
  ['the history is read', () => listScores(db, `${REG}-0`, 30), ['trust_scores_agent_id_day_pk']],
  ['an event is stored', () => appendEvent(db, REPORTER, event('x'), null, NOW), ['agents_reg']],
  [
    'an incident is stored, once',
    () => appendEvent(db, REPORTER, event('incident'), repeatable(), NOW),
    ['idempotency_keys_pkey', 'agents_reg', 'agent_stats_pkey'],
  ],
  [
    'a startup is stored',
    () => appendEvent(db, REPORTER, event('startup'), null, NOW),
    ['agents_reg', 'agent_stats_pkey'],
  ],
  [
    'a batch is stored, once',
    () => appendBatch(db, REPORTER, ['x', 'incident', 'startup'].map(event), repeatable(), NOW),
    ['idempotency_keys_pkey', 'agents_reg', 'agent_stats_pkey'],
  ],
  [
    'an agent is registered',
    () =>
      registerAgent(db, {
        id: uuidv7(NOW),
        operator_id: OPERATOR,
        name: 'New',
        class: 'A',
        description: '',
        specializations: [],
        platform_slug: 'platform-7',
        event: newEvent('agent.registered', NOW),
        now: NOW,
        repeatable: repeatable(),
      }),
    ['platforms_slug', 'operators_pkey', 'idempotency_keys_pkey'],
  ],
  [
    'an agent is changed',
    () =>
      updateAgent(db, {
        reg: `${REG}-0`,
        operator_id: OPERATOR,
        changes: { name: 'Renamed' },
        trust_score_overall: null,
        updated: newEvent('agent.updated', NOW),
        deactivated: newEvent('agent.deactivated', NOW),
        now: NOW,
      }),
    ['agents_reg', 'agent_stats_pkey'],
  ],
  [
    'the public log is read',
    () => listActivity(db, `${REG}-0`, null, page),
    ['agents_reg', 'activity_events_agent_seq'],
  ],
  [
    'a late page of the log is read',
    () => listActivity(db, `${REG}-0`, ACTOR, { page: 500, per_page: 20 }),
    ['activity_events_agent_seq'],
  ],
  [
    'the log is read by type',
    () => listActivity(db, `${REG}-0`, ACTOR, { ...page, type: 'type7' }),
    ['activity_events_agent_type'],
  ],
  [
    'the log is read by time',
    () =>
      listActivity(db, `${REG}-0`, ACTOR, {
        ...page,
        from: new Date('2026-11-03'),
        to: new Date('2026-11-04'),
      }),
    ['activity_events_agent_time', 'activity_events_agent_seq'],
  ],
  [
    'the log is read by cursor',
    () => listActivity(db, `${REG}-0`, ACTOR, { ...page, cursor: '' }),
    ['activity_events_agent_seq'],
  ],
  [
    'a word is searched',
    () => searchAgents(db, { ...page, q: 'c4ca4238a0b923820dcc509a6f75849b' }),
    ['agents_search'],
  ],
  [
    'a typo is searched',
    () => searchAgents(db, { ...page, q: 'c4ca4238a0b923820dc' }),
    ['agents_name_trigrams'],
  ],
  ['a number is searched', () => searchAgents(db, { ...page, q: 'REG-2026-0002-000' }), ['agents_reg']],
  [
    'a specialization is searched',
    () => searchAgents(db, { ...page, specialization: 'tag7' }),
    ['agents_specializations'],
  ],
  [
    'a platform is searched',
    () => searchAgents(db, { ...page, platform: 'platform-7' }),
    ['agents_platform'],
  ],
  [
    'deactivated agents are searched',
    () => searchAgents(db, { ...page, status: 'deactivated' }),
    ['agents_deactivated'],
  ],
  [
    'verified agents are searched',
    () => searchAgents(db, { ...page, ownership_status: 'verified' }),
    ['agents_verified'],
  ],
  ['incidents are listed', () => listIncidents(db, `${REG}-0`, page), ['agents_reg', 'incidents_agent']],
  [
    'open incidents are listed',
    () => listIncidents(db, `${REG}-0`, { ...page, status: 'open' }),
    ['agents_reg', 'incidents_status'],
  ],
  [
    'an incident is resolved',
    () =>
      resolveIncident(db, {
        id: uuidOf('4', 1),
        operator_id: OPERATOR,
        resolution: 'x',
        event: newEvent('incident.resolved', NOW),
        now: NOW,
      }),
    ['incidents_pkey', 'agents_pkey', 'agent_stats_pkey'],
  ],
  [
    "an agent's proofs are read",
    () => findStanding(db, `${REG}-0`, 'x'),
    ['agents_reg', 'sessions_pkey', 'ownership_challenges_pending', 'ownership_challenges_verified'],
  ],
  ['proofs to look up again are found', () => findDueProofs(db, NOW, 60), ['ownership_challenges_due']],
  ['an operator is read', () => findOperator(db, OPERATOR), ['operators_pkey']],
  ["an operator's agents are listed", () => listAgents(db, OPERATOR, page, TODAY), ['agents_operator']],
  ['an operator is summed up', () => sumUp(db, OPERATOR, NOW), ['agents_operator', 'api_keys_operator']],
  ['keys are listed', () => listKeys(db, { operator_id: OPERATOR, slug: null }), ['api_keys_operator']],
  ['notifications are listed', () => listNotifications(db, OPERATOR, page), ['notifications_operator']],
  ['notifications are marked as read', () => readAll(db, OPERATOR, NOW), ['notifications_unread']],
  [
    'deliveries to publish are found',
    () => findUnpublished(db, NOW, { total: 1_000, perPlatform: 500 }),
    ['webhook_deliveries_waiting', 'webhook_deliveries_unpublished', 'webhook_deliveries_republish'],
  ],
  ['an attempt is claimed', () => claimAttempt(db, uuidOf('6', 200), 1, NOW), ['webhook_deliveries_pkey']],
]

describe('on a filled database, no table is read whole when', () => {
  it.each(HOT)('%s', async (_, work, indexes) => {
    const plans = await plansOf(work)
    expect([...plans.whole]).toEqual([])
    expect([...plans.indexes]).toEqual(expect.arrayContaining(indexes))
  })
})

it('reads the first pages of all agents in the order of the ranking', async () => {
  for (const query of [page, { ...page, class: 'A' as const }, { ...page, min_score: 90 }]) {
    const { indexes } = await plansOf(() => searchAgents(db, query))
    expect([...indexes]).toContain('agent_stats_ranking')
  }
})

describe('browsing reads no more than its filters name:', () => {
  const last = { page: 500, per_page: 20 }

  it.each([last, { ...last, min_score: 10 }])('of agents those of the page for %o', async (query) => {
    const browse = () => searchAgents(db, query)
    const { total, data } = await browse()
    expect({ total, shown: data.length }).toEqual({ total: 10_000, shown: 20 })
    const counted = 'min_score' in query ? 0 : total
    expect(await rowsRead('agents', browse)).toBe(counted + data.length)
  })

  it.each<SearchQuery>([
    { ...page, class: 'A' },
    { ...page, status: 'active' },
    { ...page, specialization: 'all' },
    { ...page, q: 'REG-2026-0001' },
  ])('of counters those on the way to the page for %o', async (query) => {
    const browse = () => searchAgents(db, query)
    expect(await browse()).toMatchObject({ total: query.q ? 9_999 : 10_000 })
    expect(await rowsRead('agent_stats', browse)).toBeLessThan(200)
  })
})

it('joins no more proofs than it picks to the agents', async () => {
  const later = new Date(NOW.getTime() + 7 * 24 * 60 * 60 * 1000)
  const find = () => findDueProofs(db, later, 60)
  expect(new Set((await find()).map(({ id }) => id)).size).toBe(60)
  expect(await rowsRead('ownership_challenges', find)).toBeGreaterThan(10_000)
  expect(await rowsRead('agents', find)).toBe(60)
})

it('reads the age of the outbox from an index, and of all tables only the few jobs whole', async () => {
  const { indexes, whole } = await plansOf(() => findHealth(db, NOW))
  expect([...whole]).toEqual(['job_runs'])
  expect([...indexes]).toContain('webhook_deliveries_due')
})
