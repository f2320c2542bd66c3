import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { migrateDatabase } from '../../scripts/migrate.ts'
import { connect } from '../../src/db/client.ts'
import type { Env } from '../../src/env.ts'
import { snapshotPage } from '../../src/jobs/snapshots.ts'
import { inTurns } from '../support/load/clients.ts'
import { type Measured, medians, startDriver } from '../support/load/driver.ts'
import { ratioOf } from '../support/load/figures.ts'
import { agentId, fill, makeKeys } from '../support/population.ts'
import { bundleWorker, startBare } from '../support/workerd.ts'
import { benchCost } from './cost/index.ts'
import { type Case, casesOf } from './requests/cases.ts'
import { comparePages } from './requests/pages.ts'
import { type Line, print, type Report, verdictsOf } from './requests/report.ts'
import { progress, type Servers, say, storeReport, withServers } from './requests/servers.ts'
import { measureStarts } from './requests/startup.ts'

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
    before: { type: 'string' },
  },
})
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

  const began = Date.now()
  const population = { agents: AGENTS, eventsPerAgent: EVENTS_PER_AGENT, days: DAYS, fullAgents: FULL_AGENTS }
  await fill(postgresUrl, population, (done) =>
    progress(`filled ${done} of ${AGENTS} agents, ${done * EVENTS_PER_AGENT} events`),
  )
  const fillSeconds = (Date.now() - began) / 1000
  say(`\nfilled in ${fillSeconds.toFixed(0)} s`)

  const vars = settings(databaseUrl)
  const keys = await makeKeys(client, KEYS, vars.CREDENTIALS_KEY)
  const bundle = await bundleWorker(dir)
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
  const start = async (worker: typeof bundle) => {
    const { url, kill } = await startBare(worker, vars)
    atEnd(kill)
    return url
  }
  if (flags.page) {
    const timing = { rounds: ROUNDS, seconds: Number(flags.seconds) }
    if (await comparePages(measured, await start(bundle), timing)) process.exitCode = 1
    return
  }
  progress('starting the Worker 25 times')
  const startMs = await measureStarts(bundle, vars)
  const lines = await measureAll(cases, {
    ours: await start(bundle),
    statements: await start(await bundleWorker(dir, { entry: 'test/bench/requests/statements.ts' })),
    // The Worker of an earlier version of this repository, whose packages are installed.
    before: flags.before ? await start(await bundleWorker(dir, { root: resolve(flags.before) })) : null,
  })
  const verdicts = verdictsOf(cases, lines, bundle.gzippedBytes, startMs)
  tell({
    ...{ at: new Date().toISOString(), postgres, redis, lines, verdicts },
    agents: AGENTS,
    events: AGENTS * EVENTS_PER_AGENT,
  })
}

/** Prints and stores the results; exits with status 1 if a target is missed. */
function tell(report: Report): void {
  print(report)
  storeReport(flags.out ?? '.local/bench.json', report)
  if (report.verdicts.some(({ holds }) => !holds)) process.exitCode = 1
}

/** Measures the Workers alternately, so that other load on the machine affects all of them. */
async function measureAll(
  cases: readonly Case[],
  urls: { ours: string; statements: string; before: string | null },
): Promise<Line[]> {
  const { drive, stop } = startDriver()
  const lines: Line[] = []
  try {
    for (const { name, ours, statements, events } of cases) {
      const loads = [
        { ...ours, base: urls.ours },
        statements && { ...statements, base: urls.statements },
        urls.before === null ? undefined : { ...ours, base: urls.before },
      ]
      for (const load of loads)
        if (load) await drive({ ...load, concurrency: 1, warmUpMs: 0, durationMs: FIRST_WARM_UP_MS })
      for (const concurrency of CONCURRENCIES) {
        const timing = { concurrency, warmUpMs: WARM_UP_MS, durationMs: 1000 * Number(flags.seconds) }
        progress(`${name}, ${concurrency} at once`)
        const [mine = [], ...others] = await inTurns(
          ROUNDS,
          loads.map((load) => async () => (load ? drive({ ...load, ...timing }) : null)),
        )
        const rounds = mine.flatMap((one) => one ?? [])
        const [of_statements = null, of_before = null] = others.map((theirs) => rateOf(rounds, theirs))
        const middle = medians(rounds)
        const events_per_second = events ? events * middle.requests_per_second : null
        lines.push({ name, concurrency, ours: middle, of_statements, of_before, events_per_second })
      }
    }
  } finally {
    stop()
  }
  return lines
}

/** The rate relative to that of another Worker; null if that one was not measured. */
function rateOf(ours: readonly Measured[], theirs: readonly (Measured | null)[]): number | null {
  const rates = theirs.flatMap((one) => one?.requests_per_second ?? [])
  return rates.length > 0 ? ratioOf([rates, ours.map((one) => one.requests_per_second)]) : null
}
