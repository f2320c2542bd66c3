import { randomUUID } from 'node:crypto'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Db } from '../../src/db/client.ts'
import { takeSnapshot } from '../../src/trust/snapshot.ts'
import { findDue, findRanges, writeSnapshots } from '../../src/trust/snapshot-store.ts'
import { shared } from '../harness.ts'
import { migrateInTurn } from '../migrate.ts'

const h = shared()

// A database of its own on the server that the tests share, filled so that reading a whole table is the dear way.
const name = `plans_${randomUUID().replaceAll('-', '')}`
const url = new URL(h.database_url)
url.pathname = `/${name}`
const client = new pg.Client({ connectionString: url.href })

const NOW = new Date('2026-11-21T12:00:00Z')
const TODAY = '2026-11-21'
const AGENTS = 15_000
const PAGE = 500
const WAITING = 60

const id = (kind: string, n = 'n') =>
  `('${kind}0000000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`

const FILL = [
  `insert into operators (id, issuer, subject, email, name, agent_limit, notification_prefs, created_at, updated_at)
   select ${id('0')}, 'i', 's' || n, n || '@example.com', 'O', 9, '{"trust_alerts": true}', now(), now()
   from generate_series(1, 3000) n`,
  `insert into platforms (id, operator_id, slug, name, webhook_url, webhook_secret, created_at)
   select ${id('1')}, ${id('0', '1 + n % 3000')}, 'p' || n, 'P', 'https://example.com', 'x', now()
   from generate_series(1, 5000) n`,
  `insert into agents (id, reg, operator_id, platform_id, name, description, class, specializations, registered_at)
   select ${id('a')}, 'REG-2026-' || n, ${id('0', '1 + n % 3000')}, ${id('1', '1 + n % 5000')}, 'A', '', 'A', '{}', now()
   from generate_series(1, ${AGENTS}) n`,
  // Few have news, few are left of yesterday.
  `insert into agent_stats (agent_id, events, scored_day, trust_level, last_active_at, unscored_since)
   select ${id('a')}, 100, '${TODAY}'::date - (n % 500 = 7)::integer, 3, '2026-11-21T11:00:00Z',
     case when n % 500 = 3 then '2026-11-21T11:00:00Z'::timestamptz end from generate_series(1, ${AGENTS}) n`,
  `insert into agent_daily (agent_id, day, events, completed, failed)
   select a.id, '${TODAY}'::date - d, 20, 5, 15 from agents a, generate_series(0, 9) d`,
  `insert into trust_scores (agent_id, day, overall, reliability, accuracy, safety, speed, consistency,
     events_considered, algorithm_version, inputs_sha256, computed_at)
   select id, '${TODAY}'::date - d, 99, 1, 1, 1, 1, 1, 1, '1.0', 'x', now() from agents, generate_series(1, 9) d`,
]

interface Statement {
  text: string
  params: unknown[]
}
const heard: Statement[] = []

/** The store's own statements, on a driver that tells them; they use no more than both drivers have. */
const db = drizzle(client, {
  logger: { logQuery: (text, params) => heard.push({ text, params }) },
}) as unknown as Db

beforeAll(async () => {
  await h.sql(`create database ${name}`)
  await migrateInTurn(h, url.href)
  await client.connect()
  for (const statement of FILL) await client.query(statement)
  await client.query('vacuum analyze')
})

afterAll(async () => {
  await client.end()
  await h.sql(`drop database if exists ${name} with (force)`)
})

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: Plan[]
}

/** The indexes that the planner uses for what some work asks, and the tables that it reads whole. */
async function planned<T>(work: () => Promise<T>) {
  heard.length = 0
  const result = await work()
  const [indexes, whole] = [new Set<string>(), new Set<string>()]
  expect(heard.length).toBeGreaterThan(0)
  const look = (plan: Plan) => {
    if (plan['Index Name']) indexes.add(plan['Index Name'])
    if (plan['Node Type'] === 'Seq Scan') whole.add(plan['Relation Name'] ?? '')
    plan.Plans?.forEach(look)
  }
  for (const { text, params } of [...heard]) {
    const { rows } = await client.query(`explain (format json) ${text}`, params)
    look(rows[0]['QUERY PLAN'][0].Plan)
  }
  return { result, indexes: [...indexes], whole: [...whole] }
}

it('finds the agents that wait, and those of yesterday, by an index of each', async () => {
  const { result, indexes, whole } = await planned(() => findRanges(db, TODAY, PAGE, 120))
  expect(result).toHaveLength(1)
  expect(whole).toEqual([])
  expect(indexes).toEqual(expect.arrayContaining(['agent_stats_unscored', 'agent_stats_scored_day']))
})

it('reads a page, and writes it with its history, events and alerts, without reading a table whole', async () => {
  const [range] = await findRanges(db, TODAY, PAGE, 1)
  if (!range) throw new Error('expected a range')
  const { result: due, indexes, whole } = await planned(() => findDue(db, TODAY, range, PAGE))
  expect(due).toHaveLength(WAITING)
  expect(whole).toEqual([])
  expect(indexes).toEqual(
    expect.arrayContaining(['agent_daily_agent_id_day_pk', 'trust_scores_agent_id_day_pk', 'agents_pkey']),
  )
  const snapshots = await Promise.all(due.map((agent) => takeSnapshot(agent, NOW)))
  expect(snapshots.every(({ alert, news, history }) => alert && news.length > 1 && history.length > 0)).toBe(
    true,
  )
  const written = await planned(() => writeSnapshots(db, snapshots, NOW))
  expect(written.result.written).toBe(WAITING)
  expect(written.whole).toEqual([])
  expect(written.indexes).toEqual(
    expect.arrayContaining([
      'agent_stats_pkey',
      'trust_scores_agent_id_day_pk',
      'platforms_pkey',
      'operators_pkey',
    ]),
  )
  const [{ alerts }] = (await client.query('select count(*)::integer as alerts from notifications')).rows
  expect(alerts).toBe(WAITING)
})

it('at midnight, when all wait, walks through them in the order of their ids', async () => {
  await client.query(`update agent_stats set scored_day = '${TODAY}'::date - 1`)
  await client.query('vacuum analyze agent_stats')
  const ranges = await findRanges(db, TODAY, PAGE, 120)
  expect(ranges).toHaveLength(AGENTS / PAGE)
  const last = ranges.at(-2)
  if (!last) throw new Error('expected a range')
  const { result, indexes, whole } = await planned(() => findDue(db, TODAY, last, PAGE))
  expect(result).toHaveLength(PAGE)
  // A page is a thirtieth of these agents: their names may be read as a whole, what grows with the days may not.
  for (const table of ['agent_stats', 'agent_daily', 'trust_scores']) expect(whole).not.toContain(table)
  expect(indexes).toContain('agent_stats_pkey')
})
