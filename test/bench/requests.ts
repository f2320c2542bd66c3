import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { migrateDatabase } from '../../local/migrate.ts'
import { startNeon } from '../../local/neon/index.ts'
import { freePort } from '../../local/port.ts'
import { startPostgres } from '../../local/postgres/index.ts'
import { startRedis } from '../../local/redis/index.ts'
import { bundleWorker, startBare } from '../workerd.ts'
import { type Case, casesOf } from './requests/cases.ts'
import { processorTimes } from './requests/cpu.ts'
import { addAgents, FULL_AGENTS, makeKey } from './requests/fill.ts'
import type { Load, Timed } from './requests/load.ts'
import { busiest, profileWhile } from './requests/profile.ts'
import { compare, type Line, type Measured, median, misses, print, type Report } from './requests/report.ts'

const { values: flags } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    events: { type: 'string', default: '5000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1.5' },
    concurrency: { type: 'string', default: '1,8,32' },
    only: { type: 'string', default: '' },
    out: { type: 'string', default: '.local/bench.json' },
    compare: { type: 'string' },
    profile: { type: 'string' },
  },
})
const AGENTS = Number(flags.agents)
const EVENTS_PER_AGENT = Math.max(1, Math.round(Number(flags.events) / AGENTS))
const ROUNDS = Number(flags.rounds)
const CONCURRENCIES = flags.concurrency.split(',').map(Number)
const WARM_UP_MS = 300
/** Those agents that the measured operator may report for. */
const MEASURED_AGENTS = 50

/** Settings that the Worker must have, of services that no measured request calls. */
const NOT_CALLED = {
  QSTASH_URL: 'http://127.0.0.1:9',
  QSTASH_TOKEN: 'x',
  QSTASH_CURRENT_SIGNING_KEY: 'x',
  QSTASH_NEXT_SIGNING_KEY: 'x',
  OIDC_ISSUER: 'http://127.0.0.1:9',
  OIDC_CLIENT_ID: 'x',
  OIDC_CLIENT_SECRET: 'x',
  STRIPE_SECRET_KEY: 'x',
  STRIPE_WEBHOOK_SECRET: 'x',
  SECRETS_KEY: Buffer.alloc(32).toString('base64'),
}

const say = (line: string) => process.stderr.write(`${line}\n`)
const progress = (line: string) => process.stderr.write(`\r${line.padEnd(70)}`)

delete process.env.DATABASE_URL // the bench fills a database of its own
const dir = mkdtempSync(join(tmpdir(), 'registry-bench-'))
const stops: (() => Promise<unknown>)[] = []
const started = async <Part extends { stop(): Promise<unknown> }>(part: Promise<Part>): Promise<Part> => {
  const running = await part
  stops.push(() => running.stop())
  return running
}

try {
  const [postgres, neon, redis] = await Promise.all([
    started(startPostgres({ dir: join(dir, 'postgres'), say })),
    started(startNeon()),
    started(startRedis({ dir: join(dir, 'redis'), say })),
  ])
  const databaseUrl = await migrateDatabase(postgres.url, 'bench')
  const client = new pg.Client({ connectionString: postgres.url })
  client.on('error', () => undefined) // the server stops before the client when the bench fails
  await client.connect()
  stops.push(() => client.end())
  await client.query(
    `create table bench_floor (id bigint generated always as identity primary key, name text not null)`,
  )
  await client.query(`insert into bench_floor (name) values ('floor')`)
  await client.query('grant select, insert on bench_floor to registry_worker')

  const began = Date.now()
  await addAgents(client, { from: 0, to: AGENTS, eventsPerAgent: EVENTS_PER_AGENT }, (done) =>
    progress(`filled ${done} of ${AGENTS} agents, ${done * EVENTS_PER_AGENT} events`),
  )
  say(`\nfilled in ${Math.round((Date.now() - began) / 1000)} s`)
  const key = await makeKey(client)

  const vars = {
    BASE_URL: 'http://127.0.0.1',
    DATABASE_URL: databaseUrl,
    NEON_SQL_URL: neon.url,
    UPSTASH_REDIS_REST_URL: redis.url,
    UPSTASH_REDIS_REST_TOKEN: redis.token,
    REDIS_TIMEOUT_MS: '2000',
    ...NOT_CALLED,
  }
  const inspectorPort = flags.profile ? await freePort() : undefined
  const bundle = await bundleWorker(dir, { minify: !inspectorPort })
  const ours = await startBare(bundle, vars, inspectorPort ? { inspectorPort } : {})
  stops.push(ours.kill)
  const floor = await startBare(await bundleWorker(dir, { entry: 'test/bench/requests/floor.ts' }), vars)
  stops.push(floor.kill)

  const { rows } = await client.query<{ reg: string }>('select reg from agents order by id limit $1', [
    Math.min(FULL_AGENTS, MEASURED_AGENTS),
  ])
  const cases = casesOf(
    rows.map(({ reg }) => reg),
    key,
  ).filter(({ name }) => name.includes(flags.only))
  if (flags.profile && inspectorPort) {
    await profileAll(cases, { url: ours.url, inspectorPort, folder: flags.profile })
  } else {
    const { rows } = await client.query<{ version: string }>('select version()')
    tell({
      at: new Date().toISOString(),
      postgres: String(rows[0]?.version).split(' ').slice(0, 2).join(' '),
      redis: redis.engine === 'mock' ? 'embedded Redis' : 'redis-server',
      agents: AGENTS,
      events: AGENTS * EVENTS_PER_AGENT,
      gzipped_bytes: bundle.gzippedBytes,
      lines: await measureAll(cases, { ours: ours.url, floor: floor.url }),
    })
  }
} finally {
  for (const stop of stops.reverse()) await stop().catch((error) => say(String(error)))
  rmSync(dir, { recursive: true, force: true })
}

/** Prints and stores what was measured; the status is 1 when a target is missed. */
function tell(report: Report): void {
  print(report)
  mkdirSync(join(flags.out, '..'), { recursive: true })
  writeFileSync(flags.out, `${JSON.stringify(report, null, 2)}\n`)
  say(`written to ${flags.out}`)
  if (flags.compare) compare(report, flags.compare)
  if (report.lines.some(misses)) process.exitCode = 1
}

/** Both Workers in turns, so that whatever else the machine does falls on both. */
async function measureAll(cases: readonly Case[], urls: { ours: string; floor: string }): Promise<Line[]> {
  const driver = fork(join(import.meta.dirname, 'requests/load.ts'))
  const lines: Line[] = []
  try {
    for (const { name, ours, floor, target, events } of cases) {
      for (const concurrency of CONCURRENCIES) {
        const measured: { ours: Measured[]; floor: Measured[] } = { ours: [], floor: [] }
        const timing = { concurrency, warmUpMs: WARM_UP_MS, durationMs: 1000 * Number(flags.seconds) }
        for (let round = 0; round < ROUNDS; round++) {
          progress(`${name}, ${concurrency} at once, round ${round + 1} of ${ROUNDS}`)
          measured.ours.push(await drive(driver, { ...ours, ...timing, base: urls.ours }))
          measured.floor.push(await drive(driver, { ...floor, ...timing, base: urls.floor }))
        }
        const [one, other] = [median(measured.ours), median(measured.floor)]
        lines.push({
          name,
          concurrency,
          ours: one,
          floor: other,
          ratio: one.requests_per_second / other.requests_per_second,
          p99_ratio: one.p99_ms / other.p99_ms,
          target,
          events_per_second: events ? events * one.requests_per_second : null,
        })
      }
    }
  } finally {
    driver.kill()
  }
  return lines
}

/** Records a profile of each request, and prints where the time goes. */
async function profileAll(
  cases: readonly Case[],
  { url, inspectorPort, folder }: { url: string; inspectorPort: number; folder: string },
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const driver = fork(join(import.meta.dirname, 'requests/load.ts'))
  const timing = { concurrency: 8, warmUpMs: WARM_UP_MS, durationMs: 1000 * Number(flags.seconds) }
  for (const { name, ours } of cases) {
    await drive(driver, { ...ours, ...timing, base: url })
    const profile = await profileWhile(inspectorPort, () => drive(driver, { ...ours, ...timing, base: url }))
    writeFileSync(join(folder, `${name.replaceAll(/\W+/g, '-')}.cpuprofile`), JSON.stringify(profile))
    console.log(`\n${name}`)
    for (const { where, percent } of busiest(profile))
      console.log(`${percent.toFixed(1).padStart(6)} %  ${where}`)
  }
  driver.kill()
}

async function drive(driver: ChildProcess, load: Load): Promise<Measured> {
  const before = processorTimes()
  driver.send(load)
  const [answer] = (await once(driver, 'message')) as [Timed | { error: string }]
  if ('error' in answer) throw new Error(answer.error)
  const { requests, ...timed } = answer
  const spent = Object.entries(processorTimes()).map(
    ([program, ms]) => [program, (ms - (before[program] ?? 0)) / requests] as const,
  )
  return { ...timed, cpu_ms: Object.fromEntries(spent.filter(([, ms]) => ms > 0)) }
}
