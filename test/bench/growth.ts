import { parseArgs } from 'node:util'
import { inTurns } from '../support/load/clients.ts'
import { startDriver } from '../support/load/driver.ts'
import { fill } from '../support/population.ts'
import { bundleWorker, startBare } from '../support/workerd.ts'
import { compareSearches, type GrownCase, grownCasesOf, MEASURED_AGENTS } from './growth/cases.ts'
import { type GrownLine, print } from './growth/report.ts'
import { besideOf, measurePages, PAGE } from './growth/snapshots.ts'
import { progress, type Servers, storeReport, withServers } from './requests/servers.ts'

const { values: flags } = parseArgs({
  options: {
    agents: { type: 'string', default: '1000000' },
    events: { type: 'string', default: '10000000' },
    rounds: { type: 'string', default: '15' },
    seconds: { type: 'string', default: '0.4' },
    concurrency: { type: 'string', default: '1,8' },
    only: { type: 'string', default: '' },
    out: { type: 'string', default: '.local/growth.json' },
  },
})
const SMALL = { agents: 1_000, events: 10_000 }
const LARGE = { agents: Number(flags.agents), events: Number(flags.events) }
const ROUNDS = Number(flags.rounds)
const WARM_UP_MS = 100 // what it is for, the rounds before have done
const DAYS = 5
const PAGES = 40
const PAGE_MOST = 1.25

type Size = typeof SMALL

/** A database with a Worker on it. */
interface Side {
  url: string
  settings: Record<string, string>
  cases: GrownCase[]
}

await withServers(async (servers) => {
  const bundle = await bundleWorker(servers.dir)
  const start = async (name: string, size: Size): Promise<Side> => {
    const { settings, regs } = await makeDatabase(servers, name, size)
    const worker = await startBare(bundle, settings)
    servers.atEnd(worker.kill)
    return { url: worker.url, settings, cases: grownCasesOf(regs) }
  }
  const small = await start('small', SMALL)
  const large = await start('large', LARGE)

  await compareSearches(small, large)
  const lines = await measureAll(small, large)
  const pages = await measurePages(
    PAGES,
    { settings: small.settings, from: SMALL.agents - PAGE },
    { settings: large.settings, from: Math.floor(LARGE.agents / 2) },
  )
  lines.push({ name: 'a snapshot page of 500 agents', concurrency: null, most: PAGE_MOST, ...pages })
  const { postgres, redis } = servers
  const report = { at: new Date().toISOString(), postgres, redis, small: SMALL, large: LARGE, lines }
  if (print(report)) process.exitCode = 1
  storeReport(flags.out, report)
})

/** Creates and fills a database; returns the settings of a Worker on it, and numbers of agents from all over it. */
async function makeDatabase({ create }: Servers, name: string, { agents, events }: Size) {
  const { url, client, settings } = await create(name)
  const eventsPerAgent = Math.round(events / agents)
  await fill(url, { agents, eventsPerAgent, days: DAYS, fullAgents: 0 }, (done) =>
    progress(`${name}: filled ${done} of ${agents} agents, ${done * eventsPerAgent} events`),
  )
  const { rows } = await client.query<{ reg: string; name: string; description: string }>(
    `select reg, name, description from agents a
     join generate_series(0, $1::integer - 1) n on a.id = ('20000000-0000-7000-8000-' || lpad(to_hex(n * $2::integer), 12, '0'))::uuid`,
    [MEASURED_AGENTS, Math.floor(agents / MEASURED_AGENTS)],
  )
  return { settings, regs: rows }
}

/** Measures both databases alternately, so that other load on the machine affects both. */
async function measureAll(small: Side, large: Side): Promise<GrownLine[]> {
  const { drive, stop } = startDriver()
  const lines: GrownLine[] = []
  try {
    for (const [n, { name, load, most }] of small.cases.entries()) {
      const other = large.cases[n]
      if (!other || !name.includes(flags.only)) continue
      progress(`${name}: each agent once`)
      await Promise.all([askEach(small.url, load.paths), askEach(large.url, other.load.paths)])
      for (const concurrency of flags.concurrency.split(',').map(Number)) {
        const timing = { concurrency, warmUpMs: WARM_UP_MS, durationMs: 1000 * Number(flags.seconds) }
        progress(`${name}, ${concurrency} at once`)
        const rounds = await inTurns(ROUNDS, [
          () => drive({ ...load, ...timing, base: small.url }),
          () => drive({ ...other.load, ...timing, base: large.url }),
        ])
        const times = rounds.map((side) => side.map(({ p50_ms }) => p50_ms))
        lines.push({ name, concurrency, most, ...besideOf([times[0] ?? [], times[1] ?? []], 0) })
      }
    }
  } finally {
    stop()
  }
  return lines
}

/** Warms up what is measured in both databases, because only a part of the large one fits into memory. */
async function askEach(url: string, paths: readonly string[]): Promise<void> {
  for (const [n, path] of paths.entries()) {
    const response = await fetch(url + path, {
      headers: { 'CF-Connecting-IP': `10.254.${n >> 8}.${n & 255}` },
    })
    await response.arrayBuffer()
  }
}
