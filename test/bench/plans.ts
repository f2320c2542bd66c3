import { parseArgs } from 'node:util'
import { ownStack } from '../support/harness.ts'
import { inspectStatements } from '../support/plans/inspect.ts'
import { LARGE_PAGES, misses, print } from './plans/report.ts'
import { progress, storeReport } from './requests/servers.ts'

const { values: flags } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    events: { type: 'string', default: '5000000' },
    out: { type: 'string', default: '.local/plans.json' },
  },
})
const AGENTS = Number(flags.agents)
const EVENTS_PER_AGENT = Math.max(1, Math.round(Number(flags.events) / AGENTS))

for (const name of ['DATABASE_URL', 'QSTASH_URL']) delete process.env[name]
await using own = await ownStack({ checked: false })
const found = await inspectStatements(own.stack, {
  population: { agents: AGENTS, eventsPerAgent: EVENTS_PER_AGENT, days: 10, fullAgents: 500 },
  others: { platforms: AGENTS / 5, some: AGENTS, many: AGENTS * 4 },
  eachMost: 10,
  warms: true,
  readsWhole: true,
  say: progress,
})
const large = await own.sql(
  `select relname from pg_class where relkind = 'r' and pg_relation_size(oid) > $1 * 8192 order by relname`,
  [LARGE_PAGES],
)
const report = {
  at: new Date().toISOString(),
  agents: AGENTS,
  events: AGENTS * EVENTS_PER_AGENT,
  ...found,
  statements: found.statements.toSorted((a, b) => b.buffers - a.buffers),
  large: large.map(({ relname }) => relname as string),
}
print(report)
storeReport(flags.out, report)
if (misses(report)) process.exitCode = 1
