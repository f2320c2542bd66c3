import { parseArgs } from 'node:util'
import { measurePages, PAGE } from './growth/snapshots.ts'
import { least, most, printVerdicts, type Verdict } from './requests/report.ts'
import { progress, storeReport, withServers } from './requests/servers.ts'
import { makeDatabase } from './tlog/database.ts'
import { measureRates } from './tlog/rates.ts'

const { values: flags } = parseArgs({
  options: {
    calls: { type: 'string', default: '12' },
    check: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    out: { type: 'string', default: '.local/tlog.json' },
  },
})
const LEAVES_ONE = 5_000 // a second, with one event an agent
const LEAVES_HUNDRED = 15_000
const PAGE_RATIO = 1.25
const POPULATION = { agents: 1_000, eventsPerAgent: 10 }
const PAGES = 20

const report: Record<string, unknown> = { at: new Date().toISOString() }
const verdicts: Verdict[] = []

/** A measurement, and its figures that have a limit. */
async function part<Result>(
  name: string,
  measure: () => Promise<Result>,
  judge: (result: Result) => Verdict[],
): Promise<void> {
  if (!name.includes(flags.only)) return
  report[name] = await measure()
  progress('')
  console.log(report[name])
  verdicts.push(...judge(report[name] as Result))
}

await withServers(async (servers) => {
  await part(
    'rates',
    () => measureRates(servers, Number(flags.calls)),
    ({ one, hundred }) => [
      least('leaves per second, one event an agent', one, LEAVES_ONE),
      least('leaves per second, a hundred events an agent', hundred, LEAVES_HUNDRED),
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
    ({ ratio }) => [most('a page of snapshots with the log, relative to one without', ratio, PAGE_RATIO)],
  )
})
storeReport(flags.out, report)
if (printVerdicts(verdicts) && flags.check) process.exitCode = 1
