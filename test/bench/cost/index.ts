import { syncTable } from '../../support/docs-table.ts'
import { ownStack } from '../../support/harness.ts'
import { fill } from '../../support/population.ts'
import { measuredBy } from '../machine.ts'
import { progress, storeReport } from '../requests/servers.ts'
import { measureJobs, measureWebhooks, settle } from './flows.ts'
import { startMeter } from './meter.ts'
import { changed, type Line, measureRoutes } from './routes.ts'
import { costTable, idleTable, priceTable, shareTable } from './table.ts'

const PAGE = 'operate/cost.md'
const POPULATION = { agents: 500, eventsPerAgent: 40, days: 10, fullAgents: 0 }
const SIGN_IN = ['GET /auth/sign-in', 'GET /auth/callback']
const SHARES = ['GET /verify/{reg}', 'GET /verify/{reg}/full', 'POST /activity/report']

/** Measures the usage of calls, and prints their cost; UPDATE_DOCS=true writes it into docs/operate/cost.md. */
export async function benchCost(out: string): Promise<void> {
  for (const name of ['DATABASE_URL', 'QSTASH_URL']) delete process.env[name]
  await using h = await ownStack({ checked: false })
  await h.sql('alter system set autovacuum = off')
  await h.sql('select pg_reload_conf()')
  await fill(h.database_url, POPULATION, (done) => progress(`filled ${done} agents`))
  await h.sql('vacuum analyze')
  const meter = await startMeter(h.stack, h)
  try {
    await h.qstash.setClock({ mode: 'virtual' }) // deliveries wait, and mix with nothing
    progress('the first jobs')
    await settle(h)
    const regs = (await h.sql('select reg from agents order by id limit 50')).map(({ reg }) => reg)
    const routes = await measureRoutes(h, meter, regs, progress)
    progress('webhooks')
    const webhooks = await measureWebhooks(h, meter)
    progress('jobs')
    const [idle, day] = await measureJobs(h, meter, POPULATION.agents)
    tell({ routes: [...routes, signIn(routes), ...webhooks], idle, day, out })
  } finally {
    await meter.stop()
  }
}

/** The requests of a sign-in. */
function signIn(routes: readonly Line[]): Line {
  const both = routes.filter(({ name }) => SIGN_IN.includes(name)).map(({ usage }) => usage)
  const usage = both.reduce((sum, one) => changed(sum, (value, name) => value + one[name]))
  return { name: 'a sign-in, both requests', usage }
}

function tell({ routes, idle, day, out }: { routes: Line[]; idle: Line; day: Line; out: string }): void {
  const lines = [...routes, idle, day]
  const tables = {
    prices: priceTable(),
    cost: `${measuredBy('npm run bench -- --cost')}\n\n${costTable(lines)}`,
    shares: shareTable(
      lines.filter(({ name }) => SHARES.includes(name) || name.startsWith('an incident report')),
    ),
    idle: idleTable(idle),
  }
  console.log(`\n\n${Object.values(tables).join('\n\n')}`)
  for (const [name, table] of Object.entries(tables)) syncTable(PAGE, name, table)
  storeReport(out, { at: new Date().toISOString(), lines })
}
