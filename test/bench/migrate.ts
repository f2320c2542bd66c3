import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { applyFunctions } from '../../scripts/migrate/functions.ts'
import { applyMigrations, readMigrations } from '../../scripts/migrate/run.ts'
import { FOLDER } from '../../scripts/migrate.ts'
import { fillBaseline } from './migrate/fill.ts'
import { type Load, startLoad } from './migrate/load.ts'
import { progress, say, withServers } from './requests/servers.ts'

const EVENTS_MAX = 20_000_000
const EVENTS_PER_AGENT = 250
const LONGEST_MS = 1_000
const BEFORE_MS = 5_000
const HELD_MS = 3_000
const END_MS = 40 * 60_000

const { values: flags } = parseArgs({
  options: {
    events: { type: 'string', default: '5000000' },
    rate: { type: 'string', default: '100' },
  },
})
const EVENTS = Math.min(EVENTS_MAX, Math.max(EVENTS_PER_AGENT, Number(flags.events)))
const AGENTS = Math.ceil(EVENTS / EVENTS_PER_AGENT)
const RATE = Number(flags.rate)

const late = pause(END_MS, undefined, { ref: false }).then(() => {
  throw new Error(`not done after ${END_MS / 60_000} minutes`)
})
await withServers(async ({ open, postgresUrl }) => {
  const work = async () => {
    await (await open(postgresUrl)).query('create database migrated')
    const url = new URL(postgresUrl)
    url.pathname = '/migrated'
    const client = await open(url.href)
    const migrations = readMigrations(FOLDER)
    await applyMigrations(client, migrations.slice(0, 1))
    const began = Date.now()
    await fillBaseline(client, AGENTS, EVENTS, (events) => progress(`${events} of ${EVENTS} events`))
    say(`\nfilled with ${AGENTS} agents, ${EVENTS} events in ${Math.round((Date.now() - began) / 1000)} s`)

    const quiet = startLoad(url.href, AGENTS, RATE)
    await pause(BEFORE_MS)
    const before = await quiet()
    tell('before', before)

    const busy = startLoad(url.href, AGENTS, RATE)
    const holder = await open(url.href) // somebody looks at the agents, and takes a while
    await holder.query('begin; select from agents limit 1')
    const held = pause(HELD_MS).then(() => holder.query('commit'))
    const started = performance.now()
    await applyMigrations(client, migrations, say)
    await applyFunctions(client)
    const seconds = (performance.now() - started) / 1000
    await held
    const during = await busy()
    tell(`during the migration, ${seconds.toFixed(1)} s`, during)
    const most = Math.max(LONGEST_MS, before.longest) // a machine that is slow by itself tells nothing of the migration
    if (during.rejected > 0 || during.longest >= most) {
      say(`a report was rejected, or took ${most.toFixed(0)} ms`)
      process.exitCode = 1
    }
  }
  await Promise.race([work(), late])
})

function tell(when: string, { reports, rejected, median, p99, longest }: Load): void {
  const ms = (value: number) => `${value.toFixed(1)} ms`
  console.log(
    `${when}: ${reports} reports at ${RATE} a second, ${rejected} rejected; median ${ms(median)}, 99 % ${ms(p99)}, longest ${ms(longest)}`,
  )
}
