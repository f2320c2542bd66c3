import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { inTurns } from '../support/load/clients.ts'
import { type Measured, medians, startDriver } from '../support/load/driver.ts'
import { ratioOf } from '../support/load/figures.ts'
import { type Bundle, bundleWorker, startBare } from '../support/workerd.ts'
import { benchCost } from './cost/index.ts'
import { type Case, casesOf } from './requests/cases.ts'
import { type Line, print, verdictsOf } from './requests/report.ts'
import { progress, type Servers, storeReport, withServers } from './requests/servers.ts'
import { measureStarts } from './requests/startup.ts'
import { checkOut, fillFor, type Version } from './requests/version.ts'

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
    before: { type: 'string' },
  },
})
const ROOT = join(import.meta.dirname, '../..')
const AGENTS = Number(flags.agents)
const EVENTS_PER_AGENT = Math.max(1, Math.round(Number(flags.events) / AGENTS))
const ROUNDS = Number(flags.rounds)
const CONCURRENCIES = flags.concurrency.split(',').map(Number)
const WARM_UP_MS = 300
/** Duration of the warm-up before the first round of a request, in which the runtime compiles its code. */
const FIRST_WARM_UP_MS = 2_000
const DAYS = 10
/** The number of agents with events on every day of the window, so that a score reads as many rows as possible. */
const FULL_AGENTS = 500

if (flags.cost) await benchCost(flags.out ?? '.local/cost.json')
else await withServers(benchRequests)

async function benchRequests(servers: Servers): Promise<void> {
  const { dir, postgres, redis, atEnd } = servers
  const population = { agents: AGENTS, eventsPerAgent: EVENTS_PER_AGENT, days: DAYS, fullAgents: FULL_AGENTS }
  const ours = await fillFor(ROOT, { name: 'bench', population, servers })
  const before = flags.before
    ? await fillFor(await checkOut(flags.before, servers), { name: 'earlier', population, servers })
    : null
  const casesFor = ({ measured, keys }: Version) =>
    casesOf(measured, keys).filter(({ name }) => name.includes(flags.only))
  const start = async (bundle: Bundle, { settings }: Version) => {
    const { url, kill } = await startBare(bundle, settings)
    atEnd(kill)
    return url
  }
  const bundle = await bundleWorker(dir)
  progress('starting the Worker 25 times')
  const startMs = await measureStarts(bundle, ours.settings)
  const cases = casesFor(ours)
  const earlier = before && {
    base: await start(await bundleWorker(dir, { root: before.root }), before),
    cases: casesFor(before),
  }
  const lines = await measureAll(cases, await start(bundle, ours), earlier)
  const verdicts = verdictsOf(cases, lines, bundle.gzippedBytes, startMs)
  const size = { agents: AGENTS, events: AGENTS * EVENTS_PER_AGENT }
  const report = { at: new Date().toISOString(), postgres, redis, ...size, lines, verdicts }
  storeReport(flags.out ?? '.local/bench.json', report)
  if (print(report)) process.exitCode = 1
}

/** Measures both versions alternately, so that other load on the machine affects both. */
async function measureAll(
  cases: readonly Case[],
  base: string,
  earlier: { base: string; cases: readonly Case[] } | null,
): Promise<Line[]> {
  const { drive, stop } = startDriver()
  const lines: Line[] = []
  try {
    for (const [n, { name, load, events }] of cases.entries()) {
      const isPage = name.startsWith('page') // pages show more than they did
      const before = isPage ? null : earlier && { ...earlier.cases[n]?.load, base: earlier.base }
      const loads = [{ ...load, base }, ...(before ? [{ ...load, ...before }] : [])]
      for (const one of loads)
        await drive({ ...one, concurrency: 1, warmUpMs: 0, durationMs: FIRST_WARM_UP_MS })
      for (const concurrency of CONCURRENCIES) {
        const timing = { concurrency, warmUpMs: WARM_UP_MS, durationMs: 1000 * Number(flags.seconds) }
        progress(`${name}, ${concurrency} at once`)
        const [ours = [], theirs] = await inTurns(
          ROUNDS,
          loads.map((one) => () => drive({ ...one, ...timing })),
        )
        const middle = medians(ours)
        const of_before = theirs ? ratioOf([theirs.map(rateOf), ours.map(rateOf)]) : null
        const events_per_second = events ? events * middle.requests_per_second : null
        lines.push({ name, concurrency, ours: middle, of_before, events_per_second })
      }
    }
  } finally {
    stop()
  }
  return lines
}

function rateOf({ requests_per_second }: Measured): number {
  return requests_per_second
}
