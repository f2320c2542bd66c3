import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '../../local/port.ts'
import { migrateDatabase } from '../../scripts/migrate.ts'
import { connect } from '../../src/db/client.ts'
import type { Env } from '../../src/env.ts'
import { snapshotPage } from '../../src/jobs/snapshots.ts'
import { agentId, fill, makeKeys } from '../support/population.ts'
import { bundleWorker, startBare } from '../support/workerd.ts'
import { benchCost } from './cost/index.ts'
import { type Case, casesOf } from './requests/cases.ts'
import { countingOf } from './requests/counting.ts'
import { startDriver } from './requests/driver.ts'
import { comparePages } from './requests/pages.ts'
import { busiest, profileWhile } from './requests/profile.ts'
import {
  batchOf,
  compare,
  type Line,
  type Measured,
  median,
  misses,
  print,
  type Report,
  ratioOf,
  verdictsOf,
} from './requests/report.ts'
import { progress, type Servers, say, storeReport, withServers } from './requests/servers.ts'
import { emptyBundle, measureStarts } from './requests/startup.ts'

const { values: flags } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    events: { type: 'string', default: '5000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    concurrency: { type: 'string', default: '1,8,32' },
    only: { type: 'string', default: '' },
    out: { type: 'string' },
    cost: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    compare: { type: 'string' },
    profile: { type: 'string' },
    before: { type: 'string' },
  },
})
const earlier: Report | null = flags.compare ? JSON.parse(readFileSync(flags.compare, 'utf8')) : null
const AGENTS = Number(flags.agents)
const EVENTS_PER_AGENT = Math.max(1, Math.round(Number(flags.events) / AGENTS))
const ROUNDS = Number(flags.rounds)
const CONCURRENCIES = flags.concurrency.split(',').map(Number)
const WARM_UP_MS = 300
/** Duration of the warm-up before the first round of a request, in which the runtime compiles its code. */
const FIRST_WARM_UP_MS = 2_000
const TIMEOUT_MS = 30_000
/** The number of agents on which the measured operator can report. */
const MEASURED_AGENTS = 50
const DAYS = 10
/** Used in turn; together, they can send a million requests per minute. */
const KEYS = 100
/** The number of agents with events on every day of the window, so that a score reads as many rows as possible. */
const FULL_AGENTS = 500

if (flags.cost) await benchCost(flags.out ?? '.local/cost.json')
else await withServers(benchRequests)

async function benchRequests({
  dir,
  postgresUrl,
  postgres,
  redis,
  open,
  settings,
  atEnd,
}: Servers): Promise<void> {
  const databaseUrl = await migrateDatabase(postgresUrl, 'bench')
  const client = await open(postgresUrl)
  await client.query(
    `create table bench_floor (id bigint generated always as identity primary key, name text not null)`,
  )
  await client.query(`insert into bench_floor (name) values ('floor')`)
  await client.query('grant select, insert on bench_floor to registry_worker')

  const began = Date.now()
  const population = { agents: AGENTS, eventsPerAgent: EVENTS_PER_AGENT, days: DAYS, fullAgents: FULL_AGENTS }
  await fill(postgresUrl, population, (done) =>
    progress(`filled ${done} of ${AGENTS} agents, ${done * EVENTS_PER_AGENT} events`),
  )
  const fillSeconds = (Date.now() - began) / 1000
  say(`\nfilled in ${fillSeconds.toFixed(0)} s`)

  const vars = settings(databaseUrl)
  const keys = await makeKeys(client, KEYS, vars.CREDENTIALS_KEY)
  const inspectorPort = flags.profile ? await freePort() : undefined
  const bundle = await bundleWorker(dir, { minify: !inspectorPort })
  const { rows } = await client.query<{ reg: string }>('select reg from agents order by id limit $1', [
    3 * MEASURED_AGENTS,
  ])
  const regs = rows.map(({ reg }) => reg)
  const measured = {
    settled: regs.slice(0, MEASURED_AGENTS),
    withNewEvents: regs.slice(MEASURED_AGENTS, 2 * MEASURED_AGENTS),
    withMostRows: regs.slice(2 * MEASURED_AGENTS),
  }
  await client.query(
    `delete from agent_evidence where agent_id >= $1 and agent_id < $2 and source <> 'independent'`,
    [agentId(MEASURED_AGENTS), agentId(2 * MEASURED_AGENTS)],
  )
  const env = vars as unknown as Env
  const db = connect(env, AbortSignal.timeout(TIMEOUT_MS))
  await snapshotPage({ env, db, now: new Date() }, { from: agentId(0), until: agentId(MEASURED_AGENTS) })
  const cases = casesOf(measured, keys).filter(({ name }) => name.includes(flags.only))
  if (flags.profile && inspectorPort) {
    const ours = await startBare(bundle, vars, { inspectorPort })
    atEnd(ours.kill)
    await profileAll(cases, { url: ours.url, inspectorPort, folder: flags.profile })
    return
  }
  if (flags.page) {
    const ours = await startBare(bundle, vars)
    atEnd(ours.kill)
    const timing = { rounds: ROUNDS, seconds: Number(flags.seconds) }
    if (await comparePages(measured, ours.url, timing)) process.exitCode = 1
    return
  }
  const floorBundle = await bundleWorker(dir, { entry: 'test/bench/requests/floor.ts' })
  progress('starting each Worker 25 times')
  const start_up = await measureStarts(
    {
      ours: bundle,
      floor: floorBundle,
      'an empty Worker': emptyBundle(mkdtempSync(join(dir, 'empty-')), bundle),
    },
    vars,
  )
  const [ours, floor] = [await startBare(bundle, vars), await startBare(floorBundle, vars)]
  atEnd(ours.kill)
  atEnd(floor.kill)
  const before = flags.before ? await startBefore(dir, flags.before, vars) : undefined
  if (before) atEnd(before.kill)
  const lines = await measureAll(cases, { ours: ours.url, floor: floor.url, before: before?.url })
  tell({
    at: new Date().toISOString(),
    postgres,
    redis,
    agents: AGENTS,
    events: AGENTS * EVENTS_PER_AGENT,
    fill_seconds: fillSeconds,
    gzipped_bytes: bundle.gzippedBytes,
    start_up,
    lines,
    verdicts: verdictsOf(
      lines,
      Object.fromEntries(cases.flatMap(({ name, at_least }) => (at_least ? [[name, at_least]] : []))),
    ),
    counting: countingOf(
      lines,
      cases.flatMap(({ name, uncounted }) => (uncounted ? [name] : [])),
    ),
    batch: batchOf(lines),
  })
}

/** Starts the Worker of an earlier version of this repository, whose packages are installed. */
async function startBefore(dir: string, root: string, vars: Record<string, string>) {
  progress('building the previous Worker')
  return startBare(await bundleWorker(dir, { root: resolve(root) }), vars)
}

/** Prints and stores the results; exits with status 1 if a target is missed. */
function tell(report: Report): void {
  print(report)
  storeReport(flags.out ?? '.local/bench.json', report)
  if (earlier) compare(report, earlier)
  if (misses(report)) process.exitCode = 1
}

/** Measures the Worker and the floor alternately, so that other load on the machine affects both. */
async function measureAll(
  cases: readonly Case[],
  urls: { ours: string; floor: string; before: string | undefined },
): Promise<Line[]> {
  const { drive, stop } = startDriver()
  const lines: Line[] = []
  try {
    for (const { name, ours, floor, statements, uncounted, events } of cases) {
      const before = uncounted ? urls.before : undefined
      for (const concurrency of CONCURRENCIES) {
        const measured: Record<'ours' | 'floor' | 'statements' | 'uncounted' | 'before', Measured[]> = {
          ours: [],
          floor: [],
          statements: [],
          uncounted: [],
          before: [],
        }
        const timing = { concurrency, warmUpMs: WARM_UP_MS, durationMs: 1000 * Number(flags.seconds) }
        for (const call of concurrency === CONCURRENCIES[0] ? [ours, floor, statements, uncounted] : []) {
          const base = call === ours ? urls.ours : urls.floor
          if (call) await drive({ ...call, ...timing, base, warmUpMs: 0, durationMs: FIRST_WARM_UP_MS })
        }
        if (before && concurrency === CONCURRENCIES[0]) {
          await drive({ ...ours, ...timing, base: before, warmUpMs: 0, durationMs: FIRST_WARM_UP_MS })
        }
        for (let round = 0; round < ROUNDS; round++) {
          progress(`${name}, ${concurrency} at once, round ${round + 1} of ${ROUNDS}`)
          measured.ours.push(await drive({ ...ours, ...timing, base: urls.ours }))
          measured.floor.push(await drive({ ...floor, ...timing, base: urls.floor }))
          if (statements)
            measured.statements.push(await drive({ ...statements, ...timing, base: urls.floor }))
          if (uncounted) measured.uncounted.push(await drive({ ...uncounted, ...timing, base: urls.floor }))
          if (before) measured.before.push(await drive({ ...ours, ...timing, base: before }))
        }
        const middle = median(measured.ours)
        lines.push({
          name,
          concurrency,
          ours: middle,
          statements: statements ? median(measured.statements) : null,
          floor: median(measured.floor),
          before: before ? median(measured.before) : null,
          ratio: ratioOf(measured.ours, measured.floor, 'requests_per_second'),
          p99_ratio: ratioOf(measured.ours, measured.floor, 'p99_ms'),
          of_statements: statements
            ? ratioOf(measured.ours, measured.statements, 'requests_per_second')
            : null,
          uncounted: uncounted ? ratioOf(measured.uncounted, measured.floor, 'requests_per_second') : null,
          events_per_second: events ? events * middle.requests_per_second : null,
        })
      }
    }
  } finally {
    stop()
  }
  return lines
}

/** Records a profile of each request, and prints the functions that take the most time. */
async function profileAll(
  cases: readonly Case[],
  { url, inspectorPort, folder }: { url: string; inspectorPort: number; folder: string },
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const { drive, stop } = startDriver()
  const timing = { concurrency: 8, warmUpMs: WARM_UP_MS, durationMs: 1000 * Number(flags.seconds) }
  for (const { name, ours } of cases) {
    await drive({ ...ours, ...timing, base: url })
    const profile = await profileWhile(inspectorPort, () => drive({ ...ours, ...timing, base: url }))
    writeFileSync(join(folder, `${name.replaceAll(/\W+/g, '-')}.cpuprofile`), JSON.stringify(profile))
    console.log(`\n${name}`)
    for (const { where, percent } of busiest(profile))
      console.log(`${percent.toFixed(1).padStart(6)} %  ${where}`)
  }
  stop()
}
