import { describe, expect, it } from 'vitest'
import { listCards } from '../../src/agent-keys/card-store.ts'
import type { SearchQuery } from '../../src/agents/search-query.ts'
import { searchAgents } from '../../src/agents/search-store.ts'
import { findDueProofs } from '../../src/ownership/recheck-store.ts'
import { shared } from '../support/harness.ts'
import { plansDatabase } from '../support/plans/database.ts'
import { idSql } from '../support/population.ts'

const NOW = new Date('2026-11-21T12:00:00Z')

const FILL = `
  insert into operators (id, issuer, subject, email, name, agent_limit, active_agents, notification_prefs, digest_week, created_at, updated_at)
    select ${idSql('0')}, 'i', 's' || n, n || '@example.com', 'Operator ' || n, 1000, 30, '{}', '2026-11-16', now(), now() from generate_series(1, 1000) n;
  insert into agents (id, reg, operator_id, name, description, class, status, ownership_status, specializations, registered_at)
    select ${idSql('a')}, 'REG-2026-' || lpad((1 + n / 10000)::text, 4, '0') || '-' || lpad((n % 10000)::text, 4, '0') || '-0',
      ${idSql('0', '1 + n % 1000')}, 'Agent ' || md5(n::text), md5('d' || n), 'A',
      case when n % 500 = 0 then 'deactivated' else 'active' end,
      case when n % 400 = 0 then 'verified' else 'unverified' end,
      array['tag' || n % 150, 'all'], now() from generate_series(1, 15000) n;
  update agents set domain = 'd' || right(reg, 3) || '.example' where ownership_status = 'verified';
  insert into agent_stats (agent_id, events, trust_score_overall, deactivated)
    select id, 100, round((random() * 100)::numeric, 1), status = 'deactivated' from agents;
  insert into agent_keys (kid, agent_id, reg, x, added_at) select md5(reg), id, reg, 'x', '2026-11-01' from agents;
  insert into ownership_challenges (id, agent_id, domain, method, token, created_at, expires_at, verified_at, checked_at)
    select ${idSql('7')}, ${idSql('a')}, 'a.example', 'dns', 'x', '2026-11-15', '2026-11-22', '2026-11-15',
      '2026-11-21T12:00:00Z'::timestamptz - n * interval '60.5 seconds' from generate_series(1, 10020) n;
`

const { db, plansOf, rowsRead } = plansDatabase(shared(), FILL)

const page = { page: 1, per_page: 20 }

it('reads the first pages of all agents from the ranking index', async () => {
  for (const query of [page, { ...page, class: 'A' as const }, { ...page, min_score: 90 }]) {
    const { indexes } = await plansOf(() => searchAgents(db, query))
    expect([...indexes]).toContain('agent_stats_ranking')
  }
})

it('lists and counts 10,000 of the agents that a text matches', async () => {
  const matched = await searchAgents(db, { q: 'all', page: 500, per_page: 20 })
  expect([matched.total, matched.data.length]).toEqual([10_000, 20])
  expect((await searchAgents(db, { ...page, q: '"tag7"' })).total).toBe(100)
})

it('lists one card more than a page has, so that the page can name the next', async () => {
  expect(await listCards(db, {}, new Date())).toHaveLength(1_001)
})

describe('browsing reads only what its filters need:', () => {
  const last = { page: 500, per_page: 20 }

  it.each([last, { ...last, min_score: 10 }])('the agents of the page for %o', async (query) => {
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
  ])('the statistics of fewer than 200 agents for %o', async (query) => {
    const browse = () => searchAgents(db, query)
    expect(await browse()).toMatchObject({ total: query.q ? 9_999 : 10_000 })
    expect(await rowsRead('agent_stats', browse)).toBeLessThan(200)
  })
})

it.each<SearchQuery>([
  { ...page, operator: '00000000-0000-7000-8000-000000000007' },
  { ...page, operator: '00000000-0000-7000-8000-000000000007', class: 'A', status: 'active' },
  { ...page, domain: 'd0-0.example' },
  { ...page, domain: 'd0-0.example', status: 'active' },
  { ...page, status: 'deactivated' },
  { ...page, min_score: 99.9 },
  { ...page, min_score: 99.9, status: 'active' },
])('reads few rows if few match: %o', async (query) => {
  const browse = () => searchAgents(db, query)
  expect((await browse()).total).toBeLessThan(60)
  expect(await rowsRead('agents', browse)).toBeLessThan(300)
  expect(await rowsRead('agent_stats', browse)).toBeLessThan(300)
})

it.each(['!!!', '\u0644'.repeat(10), '日本語', '😀', '&&&'])(
  'reads no agents for a text without searchable characters: %s',
  async (q) => {
    const search = () => searchAgents(db, { ...page, q })
    expect(await search()).toEqual({ total: 0, data: [] })
    expect((await plansOf(search)).whole).not.toContain('agents')
    expect(await rowsRead('agents', search)).toBe(0)
  },
)

it('reads at most ten thousand due proofs, and joins only the selected ones to their agents', async () => {
  const later = new Date(NOW.getTime() + 7 * 24 * 60 * 60 * 1000)
  const find = () => findDueProofs(db, later, 60)
  expect(new Set((await find()).map(({ id }) => id)).size).toBe(60)
  expect(await rowsRead('ownership_challenges', find)).toBe(10_000)
  expect(await rowsRead('agents', find)).toBe(60)
})
