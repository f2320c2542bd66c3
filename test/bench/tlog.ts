import { parseArgs } from 'node:util'
import { measurePages, PAGE } from './growth/snapshots.ts'
import { least, most, printVerdicts } from './requests/report.ts'
import { storeReport, withServers } from './requests/servers.ts'
import { makeDatabase } from './tlog/database.ts'
import { measureRates } from './tlog/rates.ts'

const { values: flags } = parseArgs({
  options: {
    calls: { type: 'string', default: '12' },
    check: { type: 'boolean', default: false },
    out: { type: 'string', default: '.local/tlog.json' },
  },
})
const LEAVES_ONE = 5_000 // a second, with one event an agent
const LEAVES_HUNDRED = 15_000
const PAGE_RATIO = 1.25
const POPULATION = { agents: 1_000, eventsPerAgent: 10 }
const PAGES = 20

await withServers(async (servers) => {
  const rates = await measureRates(servers, Number(flags.calls))
  const plain = await makeDatabase(servers, 'plain', POPULATION)
  const logged = await makeDatabase(servers, 'logged', POPULATION)
  await plain.client.query('alter table trust_scores disable trigger user')
  const from = POPULATION.agents - PAGE
  const pages = await measurePages(PAGES, { ...plain, from }, { ...logged, from })
  const report = { at: new Date().toISOString(), rates, pages }
  storeReport(flags.out, report)
  console.log(report)
  const isMissed = printVerdicts([
    least('leaves per second, one event an agent', rates.one, LEAVES_ONE),
    least('leaves per second, a hundred events an agent', rates.hundred, LEAVES_HUNDRED),
    most('a page of snapshots with the log, relative to one without', pages.ratio, PAGE_RATIO),
  ])
  if (isMissed && flags.check) process.exitCode = 1
})
