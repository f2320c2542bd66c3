import { parseArgs } from 'node:util'
import { measurePages, PAGE } from './growth/snapshots.ts'
import { progress, say, storeReport, withServers } from './requests/servers.ts'
import { makeDatabase } from './tlog/database.ts'
import { measureDelay } from './tlog/delay.ts'
import { measureGrowth } from './tlog/growth.ts'
import { measureRates } from './tlog/rates.ts'

const { values: flags } = parseArgs({
  options: {
    calls: { type: 'string', default: '12' },
    growth: { type: 'boolean', default: false },
    'growth-leaves': { type: 'string', default: '10000000' },
    check: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    out: { type: 'string', default: '.local/tlog.json' },
  },
})
const LEAVES_ONE = 5_000 // a second, with one event an agent
const LEAVES_HUNDRED = 15_000
const DELAY_P99_S = 75
const DELAY_MOST_S = 120 // what /log/info.json promises
const PAGE_RATIO = 1.25
const GROWTH_RATIO = 1.25
const POPULATION = { agents: 1_000, eventsPerAgent: 10 }
const PAGES = 20

const failures: string[] = []
const report: Record<string, unknown> = { at: new Date().toISOString() }

/** A measurement that is printed and compared with its targets. */
async function part<Result>(
  name: string,
  measure: () => Promise<Result>,
  tell: (result: Result) => [line: string, holds: boolean][],
): Promise<void> {
  if (!name.includes(flags.only)) return
  const result = await measure()
  report[name] = result
  progress('')
  for (const [line, holds] of tell(result)) {
    console.log(`${line}${holds ? '' : '  MISSED'}`)
    if (!holds) failures.push(line)
  }
}

await withServers(async (servers) => {
  if (flags.growth) {
    await part(
      'growth',
      () => measureGrowth(servers, Number(flags['growth-leaves'])),
      (grown) =>
        Object.entries(grown).map(([name, { before, now, ratio }]) => [
          `${name}: ${before.toFixed(1)} ms with 10,000 leaves, ${now.toFixed(1)} with ${flags['growth-leaves']}: ${ratio.toFixed(2)} (at most ${GROWTH_RATIO})`,
          ratio <= GROWTH_RATIO,
        ]),
    )
    return
  }
  await part(
    'rates',
    () => measureRates(servers, Number(flags.calls)),
    ({ one, hundred }) => [
      [`one event an agent: ${one.toFixed(0)} leaves/s (at least ${LEAVES_ONE})`, one >= LEAVES_ONE],
      [`a hundred: ${hundred.toFixed(0)} leaves/s (at least ${LEAVES_HUNDRED})`, hundred >= LEAVES_HUNDRED],
    ],
  )
  await part(
    'delay',
    () => measureDelay(servers),
    ({ events, p50_s, p99_s, most_s }) => [
      [
        `merge delay of ${events} events: p50 ${p50_s.toFixed(1)} s, p99 ${p99_s.toFixed(1)} (at most ${DELAY_P99_S}), most ${most_s.toFixed(1)} (at most ${DELAY_MOST_S})`,
        p99_s <= DELAY_P99_S && most_s <= DELAY_MOST_S,
      ],
    ],
  )
  await part(
    'pages',
    async () => {
      const plain = await makeDatabase(servers, 'plain', POPULATION)
      const logged = await makeDatabase(servers, 'logged', POPULATION)
      await plain.client.query('alter table trust_scores disable trigger user')
      const from = POPULATION.agents - PAGE
      return measurePages(PAGES, { ...plain, from }, { ...logged, from })
    },
    ({ before, now, ratio }) => [
      [
        `a page of snapshots: ${before.toFixed(1)} ms without the log, ${now.toFixed(1)} with it: ${ratio.toFixed(2)} (at most ${PAGE_RATIO})`,
        ratio <= PAGE_RATIO,
      ],
    ],
  )
})
storeReport(flags.out, report)
for (const line of failures) say(`missed: ${line}`)
if (flags.check && failures.length > 0) process.exitCode = 1
