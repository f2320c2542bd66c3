import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { connect } from '../../../src/db/client.ts'
import type { Env } from '../../../src/env.ts'
import { snapshotPage } from '../../../src/jobs/snapshots.ts'
import { DAY_MS } from '../../../src/lib/time.ts'
import { agentId } from '../../support/population.ts'
import type { Servers } from '../requests/servers.ts'
import { type Bench, inTurns, makeDatabase, middle, ratioOf, timed } from './database.ts'

const AGENTS = 1_000
const PAGE = 500
const PAGES = 20
const REPORTS = 3_000
const WARM_UP = AGENTS
const TIMEOUT_MS = 60_000
const PLENTY = 20_000_000

export interface Beside {
  /** Medians in ms, without and with the log, and the median of the ratios. */
  before: number
  now: number
  ratio: number
}

const toBeside = (times: [number[], number[]]): Beside => ({
  before: middle(times[0]),
  now: middle(times[1]),
  ratio: ratioOf(times),
})

/** Measures pages of snapshots alternately in a database whose scores are logged and in one without a log. */
export async function measurePages(servers: Servers): Promise<Beside> {
  const population = { agents: AGENTS, eventsPerAgent: 10 }
  const plain = await makeDatabase(servers, 'plain', population)
  const reported = await makeDatabase(servers, 'told', population)
  await plain.client.query('alter table trust_scores disable trigger user')
  const began = Date.now()
  const page =
    ({ settings }: Bench) =>
    (n: number) =>
      timed(async () => {
        const env = settings as unknown as Env
        const db = connect(env, AbortSignal.timeout(TIMEOUT_MS))
        const now = new Date(began + n * DAY_MS)
        const written = await snapshotPage({ env, db, now }, { from: agentId(AGENTS - PAGE), until: null })
        if (written !== PAGE) throw new Error(`a page wrote ${written} agents`)
      })
  const [before, now] = await inTurns(PAGES, [page(plain), page(reported)])
  return toBeside([before.slice(1), now.slice(1)]) // the first of each warms up
}

/**
 * Measures reports of one event alternately with those of an earlier version.
 *
 * @param root its folder
 */
export async function measureReports(servers: Servers, root: string): Promise<Beside> {
  const [before, now] = [
    await reporter(servers, root, 'earlier'),
    await reporter(servers, '../../..', 'later'),
  ]
  await inTurns(WARM_UP, [before.report, now.report])
  // As autovacuum does within a minute; plans made for empty tables would distort the result.
  for (const { client } of [before, now]) await client.query('analyze')
  return toBeside(await inTurns(REPORTS, [before.report, now.report]))
}

async function reporter({ open, postgresUrl }: Servers, root: string, name: string) {
  const from = (file: string) => import(root.startsWith('.') ? `${root}/${file}` : join(root, file))
  const [{ migrateDatabase }, { byAgent }] = [
    await from('scripts/migrate.ts'),
    await from('src/activity/entries.ts'),
  ]
  await (await open(postgresUrl)).query(`create database ${name}`)
  const url = Object.assign(new URL(postgresUrl), { pathname: `/${name}` }).href
  await migrateDatabase(url)
  const client = await open(url)
  const operator = agentId(0)
  await client.query(
    `insert into operators (id, issuer, subject, email, name, tier, agent_limit, notification_prefs, digest_week,
       created_at, updated_at) values ($1, 'i', 's', 'a@example.com', 'A', 'enterprise', 10000, '{}', '2026-11-16', now(), now())`,
    [operator],
  )
  await client.query(
    `insert into agents (id, reg, operator_id, name, description, class, specializations, registered_at)
     select gen_random_uuid(), 'REG-' || i, $1, 'A', '', 'A', '{}', now() from generate_series(0, $2 - 1) i`,
    [operator, AGENTS],
  )
  await client.query('insert into agent_stats (agent_id) select id from agents')
  await client.query('vacuum analyze')
  await client.query('set synchronous_commit = off') // the disk takes more time than both
  const report = (n: number) => {
    const metadata = { quality: 0.9, response_ms: 1_200 }
    const input = { reg: `REG-${(n * 7) % AGENTS}`, event_type: 'task_completed', severity: 'info', metadata }
    const agents = JSON.stringify(byAgent([{ id: randomUUID(), input, incident: null }]))
    return timed(() =>
      client.query({
        name: 'append',
        text: 'select append_events($1, null, $2, $3, $3::integer::bigint, 0, $4, true, $5)',
        values: [operator, 'operator', PLENTY, new Date().toISOString(), agents],
      }),
    )
  }
  return { client, report }
}
