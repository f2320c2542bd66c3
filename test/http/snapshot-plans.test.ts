import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { takeSnapshot } from '../../src/trust/snapshot.ts'
import { findDue, findRanges, writeSnapshots } from '../../src/trust/snapshot-store.ts'
import { shared } from '../support/harness.ts'
import { idSql, plansDatabase } from '../support/plans.ts'

const { db, fill, drop, plansOf } = plansDatabase(shared())

const NOW = new Date('2026-11-21T12:00:00Z')
const TODAY = '2026-11-21'
const AGENTS = 15_000
const PAGE = 500
const WAITING = 60

const FILL = [
  `insert into operators (id, issuer, subject, email, name, agent_limit, notification_prefs, digest_week, created_at, updated_at)
   select ${idSql('0')}, 'i', 's' || n, n || '@example.com', 'O', 9, '{"trust_alerts": true}', '2999-01-07', now(), now()
   from generate_series(1, 3000) n`,
  `insert into platforms (id, operator_id, slug, name, webhook_url, webhook_secret, created_at)
   select ${idSql('1')}, ${idSql('0', '1 + n % 3000')}, 'p' || n, 'P', 'https://example.com', 'x', now()
   from generate_series(1, 5000) n`,
  `insert into agents (id, reg, operator_id, platform_id, name, description, class, specializations, registered_at)
   select ${idSql('a')}, 'REG-2026-' || n, ${idSql('0', '1 + n % 3000')}, ${idSql('1', '1 + n % 5000')}, 'A', '', 'A', '{}', now()
   from generate_series(1, ${AGENTS}) n`,
  // Few have news, few are left of yesterday.
  `insert into agent_stats (agent_id, events, scored_day, trust_level, last_active_at, unscored_since)
   select ${idSql('a')}, 100, '${TODAY}'::date - (n % 500 = 7)::integer, 3, '2026-11-21T11:00:00Z',
     case when n % 500 = 3 then '2026-11-21T11:00:00Z'::timestamptz end from generate_series(1, ${AGENTS}) n`,
  `insert into agent_daily (agent_id, day, events, completed, failed)
   select a.id, '${TODAY}'::date - d, 20, 5, 15 from agents a, generate_series(0, 9) d`,
  `insert into trust_scores (agent_id, day, overall, reliability, accuracy, safety, speed, consistency,
     events_considered, algorithm_version, inputs_sha256, computed_at)
   select id, '${TODAY}'::date - d, 99, 1, 1, 1, 1, 1, 1, '1.0', 'x', now() from agents, generate_series(1, 9) d`,
]

beforeAll(() => fill(FILL.join(';\n')))
afterAll(drop)

it('finds the agents that wait, and those of yesterday, by an index of each', async () => {
  const { result, indexes, whole } = await plansOf(() => findRanges(db, TODAY, PAGE, 120))
  expect(result).toHaveLength(1)
  expect([...whole]).toEqual([])
  expect([...indexes]).toEqual(expect.arrayContaining(['agent_stats_unscored', 'agent_stats_scored_day']))
})

it('reads a page, and writes it with its history, events and alerts, without reading a table whole', async () => {
  const [range] = await findRanges(db, TODAY, PAGE, 1)
  if (!range) throw new Error('expected a range')
  const { result: due, indexes, whole } = await plansOf(() => findDue(db, TODAY, range, PAGE))
  expect(due).toHaveLength(WAITING)
  expect([...whole]).toEqual([])
  expect([...indexes]).toEqual(
    expect.arrayContaining(['agent_daily_agent_id_day_pk', 'trust_scores_agent_id_day_pk', 'agents_pkey']),
  )
  const snapshots = await Promise.all(due.map((agent) => takeSnapshot(agent, NOW)))
  expect(snapshots.every(({ alert, news, history }) => alert && news.length > 1 && history.length > 0)).toBe(
    true,
  )
  const written = await plansOf(() => writeSnapshots(db, snapshots, NOW))
  expect(written.result.written).toBe(WAITING)
  expect([...written.whole]).toEqual([])
  expect([...written.indexes]).toEqual(
    expect.arrayContaining([
      'agent_stats_pkey',
      'trust_scores_agent_id_day_pk',
      'platforms_pkey',
      'operators_pkey',
    ]),
  )
  const alerts = await db.execute(sql`select from notifications`)
  expect(alerts.rows).toHaveLength(WAITING)
})

it('at midnight, when all wait, walks through them in the order of their ids', async () => {
  await db.execute(sql`update agent_stats set scored_day = ${TODAY}::date - 1`)
  await db.execute(sql`vacuum analyze agent_stats`)
  const ranges = await findRanges(db, TODAY, PAGE, 120)
  expect(ranges).toHaveLength(AGENTS / PAGE)
  const last = ranges.at(-2)
  if (!last) throw new Error('expected a range')
  const { result, indexes, whole } = await plansOf(() => findDue(db, TODAY, last, PAGE))
  expect(result).toHaveLength(PAGE)
  // A page is a thirtieth of these agents: their names may be read as a whole, what grows with the days may not.
  for (const table of ['agent_stats', 'agent_daily', 'trust_scores']) expect([...whole]).not.toContain(table)
  expect([...indexes]).toContain('agent_stats_pkey')
})
