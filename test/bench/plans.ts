import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { freePort } from '../../local/port.ts'
import { startStack } from '../../local/stack.ts'
import { connect } from '../support/harness.ts'
import { startProxy } from '../support/proxy.ts'
import { settingsOf } from '../support/variant.ts'
import { bundleWorker, startBare } from '../support/workerd.ts'
import { startExplainer } from './plans/explain.ts'
import { fillOthers } from './plans/fill.ts'
import { misses, type PlansReport, print, type Sent } from './plans/report.ts'
import { type Step, walk } from './plans/walk.ts'
import { called, watch } from './plans/watch.ts'
import { AGENTS_PER_OPERATOR, fill, makeKey } from './requests/fill.ts'
import { progress, say, storeReport } from './requests/servers.ts'

// The stack's Worker is replaced by one whose every statement is explained before it goes on to the database.

const { values: flags } = parseArgs({
  options: {
    agents: { type: 'string', default: '100000' },
    events: { type: 'string', default: '5000000' },
    out: { type: 'string', default: '.local/plans.json' },
  },
})
const AGENTS = Number(flags.agents)
const EVENTS_PER_AGENT = Math.max(1, Math.round(Number(flags.events) / AGENTS))
const SETTLED_MS = 100

for (const name of ['DATABASE_URL', 'QSTASH_URL']) delete process.env[name]
const dir = await mkdtemp(join(tmpdir(), 'registry-plans-'))
await chmod(dir, 0o711) // where we are root, the database runs as another user
const stops: (() => Promise<unknown>)[] = [() => rm(dir, { recursive: true, force: true })]
try {
  const port = await freePort()
  const stack = await startStack({ dir, port, say: () => undefined })
  stops.push(stack.stop)
  const population = { agents: AGENTS, eventsPerAgent: EVENTS_PER_AGENT, days: 10, fullAgents: 500 }
  await fill(stack.database_url, population, (done) => progress(`filled ${done} of ${AGENTS} agents`))
  const h = connect(dir, stack)
  stops.push(h.end)
  progress('filling the other tables')
  await fillOthers(stack.database_url, AGENTS, Math.ceil(AGENTS / AGENTS_PER_OPERATOR))

  const hearings: { texts: string[]; functions: string[] }[] = []
  let [stepNow, functionsNow] = ['', [] as string[]]
  const settings = await settingsOf(dir)
  const explainer = await startExplainer(settings.DATABASE_URL ?? '')
  stops.push(explainer.stop)
  const neon = await startProxy(stack.neon_sql_url, {
    before: async ({ body }) => {
      const since = await called(worker.url)
      if (since.length > 0) functionsNow = since
      const texts = await explainer.explain(body, stepNow)
      hearings.push({ texts, functions: functionsNow })
      return undefined
    },
  })
  stops.push(neon.stop)
  const bundle = await bundleWorker(dir, { minify: false })
  const functions = watch(bundle)
  const tapped = { ...settings, NEON_SQL_URL: neon.url }
  const worker = await startBare(bundle, tapped)
  stops.push(worker.kill)
  await stack.worker.kill()
  const front = await startProxy(worker.url, {}, { host: 'localhost', port })
  stops.push(front.stop)

  const step: Step = async (name, work, functions = []) => {
    stepNow = name
    functionsNow = functions
    progress(name)
    await work()
    await sleep(SETTLED_MS) // what an answer leaves for later
    stepNow = 'between the steps'
  }
  const client = new pg.Client({ connectionString: stack.database_url })
  await client.connect()
  const key = await makeKey(client)
  await client.end()
  const agents = await h.sql('select reg, name from agents order by id limit 50')
  const filled = { key, regs: agents.map(({ reg }) => reg), names: agents.map(({ name }) => name) }
  await walk(h, step, filled, tapped as never)

  const explained = new Set(explainer.plans().map(({ text }) => text))
  const seen = new Set(hearings.flatMap((one) => one.functions))
  tell({
    at: new Date().toISOString(),
    agents: AGENTS,
    events: AGENTS * EVENTS_PER_AGENT,
    statements: explainer
      .plans()
      .map((plan): Sent => ({ ...plan, by: senderOf(plan.text) }))
      .toSorted((a, b) => b.buffers - a.buffers),
    unexplained: [...new Set(hearings.flatMap(({ texts }) => texts))].filter((text) => !explained.has(text)),
    functions: functions.size,
    unseen: [...functions].filter((name) => !seen.has(name)),
  })

  /** The function whose calls come closest to the hearings of a statement. */
  function senderOf(text: string): string {
    const sent = hearings.filter(({ texts }) => texts.includes(text))
    const likeness = (name: string) => {
      const both = sent.filter((one) => one.functions.includes(name)).length
      const calls = hearings.filter((one) => one.functions.includes(name)).length
      return both / (sent.length + calls - both)
    }
    return [...seen].toSorted((a, b) => likeness(b) - likeness(a))[0] ?? '?'
  }
} finally {
  for (const stop of stops.reverse())
    await Promise.resolve()
      .then(stop)
      .catch((error) => say(String(error)))
}

/** Prints and stores what was found; the status is 1 when a statement reads a whole table, or may have escaped. */
function tell(report: PlansReport): void {
  print(report)
  storeReport(flags.out, report)
  if (misses(report)) process.exitCode = 1
}
