import { afterAll, beforeAll, expect, it } from 'vitest'
import { parsePayload, type Statement } from '../../local/stand-ins/neon/wire.ts'
import { readSources } from '../../scripts/migrate/sources.ts'
import { app } from '../../src/app.ts'
import { ownStack } from '../support/harness.ts'
import { newSeed } from '../support/log/traffic.ts'
import { withClient } from '../support/migrate.ts'
import { agentId, fill, makeKeys } from '../support/population.ts'
import { startProxy } from '../support/proxy.ts'
import { settingsOf } from '../support/worker-settings.ts'

// From its sixth call on a connection, PostgreSQL may run a function with plans for any parameters. Each statement with
// a function that a public read sends is called twelve times; the reads are those of all routes of the Worker.

const EVENTS = 20_000 // of a day, for an agent of an operator in the lowest tier
const INCIDENTS = 20_000
const REVISIONS = 100 // of a day
const SCATTERED = 150 // its newest events, each followed by as many of two others that the next is in another bundle
const NEIGHBORS = 130
const CALLS = 12
const RATIO_MOST = 3
const TRIES = 3

const LARGEST = agentId(0)
const KID = 'k'.repeat(43)

/** Sign-in, links of emails, other origins of the log, and files, which read nothing here. */
const NO_READS = /^\/(api\/v1\/auth|unsubscribe|log\/:life|\.well-known|docs)/
/** Queries that have other plans than the route alone. */
const SCATTER = `after=${EVENTS - SCATTERED}`
const QUERIES: Record<string, string[]> = {
  '/api/v1/agents/:reg/log-entries': ['kind=day', 'kind=incident', SCATTER, `${SCATTER}&limit=1000`],
  '/api/v1/agents/:reg/activity': ['cursor=&per_page=50', 'type=none'],
  '/api/v1/agents/:reg/incidents': ['per_page=50'],
}

const FUNCTIONS = readSources().flatMap(({ name }) => /^functions\/(\w+)$/.exec(name)?.[1] ?? [])
const functionsOf = ({ query }: Statement) =>
  FUNCTIONS.filter((name) => new RegExp(`\\b${name}\\(`).test(query))

const own = await ownStack({ checked: false })
const settings = settingsOf(own.dir)
const reads = new Map<string, Statement>()
let requested = ''
const neon = await startProxy(own.neon_sql_url, {
  before: ({ body }) => {
    const payload = parsePayload(body)
    for (const statement of 'queries' in payload ? payload.queries : [payload])
      if (functionsOf(statement).length > 0) reads.set(`${requested}: ${functionsOf(statement)}`, statement)
    return undefined
  },
})
const worker = await own.variant({ NEON_SQL_URL: neon.url })
afterAll(async () => {
  await worker.stop()
  await neon.stop()
  await own.stop()
})

beforeAll(async () => {
  const { slug } = await own.newPlatform(await own.newOperator())
  await fillLargest(slug)
  const [key = ''] = await withClient(own.database_url, (client) =>
    makeKeys(client, 1, settings.CREDENTIALS_KEY),
  )
  const [{ reg, id }] = await own.sql('select reg, operator_id as id from agents where id = $1', [LARGEST])
  const params: Record<string, string> = {
    reg,
    id,
    slug,
    index: '0',
    key_id: 'unknown',
    kid: KID,
    '*': 'entries/000',
  }
  const routes = app.routes.filter(({ method, path }) => method === 'GET' && !NO_READS.test(path))
  for (const path of new Set(routes.map(({ path }) => path))) {
    for (const query of ['', ...(QUERIES[path] ?? [])]) {
      requested = `GET ${path}?${query}`
      const url = `/${path.replaceAll(/:(\w+)(\{.*?\}(?=\/|$))?|\*/g, (at, name = at) => params[name] ?? at)}?${query}`
      const { status, text } = await worker.api('GET', url)
      const isPublic = ![302, 303, 401].includes(status)
      if (status >= 400 && isPublic) throw new Error(`${requested}: ${text}`)
      requested += ' with a key'
      if (QUERIES[path]) await worker.api('GET', url, { token: key })
    }
  }
})

/** Fills the database with an agent that has as much of everything as a day allows, and rollups of all days. */
async function fillLargest(slug: string): Promise<void> {
  const population = { agents: 3, eventsPerAgent: EVENTS, days: 1, fullAgents: 1 }
  await fill(own.database_url, population, () => undefined)
  await own.sql(
    `update agents set platform_state = 'confirmed', platform_since = now(),
      platform_id = (select id from platforms where slug = $1)`,
    [slug],
  )
  await own.sql(
    `insert into incidents (id, agent_id, event_id, reported_by, source, title, description, severity, created_at)
     select gen_random_uuid(), $1, gen_random_uuid(), 'operator', 'self', 'Down', repeat('It is down. ', 40), 'error',
       now() - n * interval '1 second' from generate_series(1, $2::integer) n`,
    [LARGEST, INCIDENTS],
  )
  await own.sql('update agent_stats set incident_count = $2, open_incident_count = $2 where agent_id = $1', [
    LARGEST,
    INCIDENTS,
  ])
  await own.sql(
    `insert into agent_keys (kid, agent_id, reg, x, added_at)
     select case n when 1 then $2 else lpad(n::text, 43, 'k') end, id, reg, lpad(n::text, 43, 'x'), now()
     from agents, generate_series(1, $3::integer) n where id = $1`,
    [LARGEST, KID, REVISIONS],
  )
  await own.sql('update agents set revision = 1')
  for (let n = 0; n < REVISIONS; n++)
    await own.sql('update agents set name = $2 where id = $1', [LARGEST, `Largest ${n}`])
  await own.sql(
    `update agent_stats set events = case when agent_id = $1 then $2::bigint - $3 else 0 end, unlogged_since = now()`,
    [LARGEST, EVENTS, SCATTERED],
  )
  await own.cron()
  for (let n = 0; n < SCATTERED; n++) {
    await own.sql(
      `update agent_stats set events = events + case when agent_id = $1 then 1 else $2 end, unlogged_since = now()`,
      [LARGEST, NEIGHBORS],
    )
    await own.sql('select tlog_append_events(4096, $1, now(), null)', [newSeed()])
  }
  await own.cron()
}

/** How much slower a statement is once PostgreSQL may have stopped planning it: its ratio in the best of several tries. */
async function ratioOf({ query, params }: Statement): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let n = 0; n < TRIES && best > RATIO_MOST; n++) {
    const times = await withClient(settings.DATABASE_URL ?? '', async (client) => {
      const took: number[] = []
      while (took.length < CALLS) {
        const began = performance.now()
        await client.query(query, params)
        took.push(performance.now() - began)
      }
      return took
    })
    best = Math.min(best, Math.min(...times.slice(6)) / Math.min(...times.slice(0, 5)))
  }
  return best
}

it.each([
  ['without statistics, as after a restore', 'select 1'],
  ['with statistics', 'analyze'],
])('no public read becomes slower when its plans are kept: %s', async (_, statement) => {
  await own.sql(statement)
  expect([...reads.values()].flatMap(functionsOf)).toEqual(
    expect.arrayContaining(['tlog_entries', 'agent_profile']),
  )
  const slower: string[] = []
  for (const [name, read] of reads) {
    const ratio = await ratioOf(read)
    if (ratio > RATIO_MOST) slower.push(`${name} takes ${ratio.toFixed(1)} times as long`)
  }
  expect(slower).toEqual([])
})
