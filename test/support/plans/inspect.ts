import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../harness.ts'
import { withClient } from '../migrate.ts'
import { AGENTS_PER_OPERATOR, fill, makeKeys, type Population } from '../population.ts'
import { startProxy } from '../proxy.ts'
import type { TestStack } from '../stack.ts'
import { settingsOf } from '../worker-settings.ts'
import { copyBundle, startBare } from '../workerd.ts'
import { type Plan, startExplainer } from './explain.ts'
import { fillOthers, type Sizes } from './others.ts'
import { type Step, walk } from './walk.ts'
import { called, watch } from './watch.ts'

/** A statement with the function that probably sends it. */
export interface Sent extends Plan {
  by: string
}

/** All statements of a Worker. */
export interface Inspection {
  statements: Sent[]
  /** Statements that could never be explained. */
  unexplained: string[]
  /** The functions with a database parameter, and those of them that were not called. */
  functions: string[]
  unseen: string[]
}

type Options = Parameters<typeof startExplainer>[2] & {
  population: Population
  others: Omit<Sizes, 'agents' | 'operators'>
  say?: (line: string) => void
}

const SETTLED_MS = 50

/** Tables that stay small: a row per job, per minute of a day, one row, and one per day. */
const FEW_ROWS = ['job_runs', 'usage_folds', 'tlog_state', 'tlog_heads']

/** The tables that a statement scans sequentially, without the small ones. */
export const wholeOf = ({ whole }: Plan) => whole.filter((table) => !FEW_ROWS.includes(table))

/**
 * Fills the database of a stack, and runs every route and job with a Worker whose statements are explained before they
 * are forwarded to the database.
 *
 * @param stack a stack for exclusive use; its Worker is stopped
 */
export async function inspectStatements(
  stack: TestStack,
  { population, others, say = () => undefined, ...options }: Options,
): Promise<Inspection> {
  const { agents } = population
  const stops: (() => Promise<unknown>)[] = []
  try {
    await fill(stack.database_url, population, (done) => say(`filled ${done} of ${agents} agents`))
    const h = connect(stack.dir, stack)
    stops.push(h.end)
    say('filling the other tables')
    const operators = Math.ceil(agents / AGENTS_PER_OPERATOR)
    await fillOthers(stack.database_url, { agents, operators, ...others })

    const hearings: { texts: string[]; functions: string[] }[] = []
    const seen = new Set<string>()
    let [stepNow, functionsNow] = ['', [] as string[]]
    const settings = settingsOf(stack.dir)
    const explainer = await startExplainer(stack.database_url, settings.DATABASE_URL ?? '', options)
    stops.push(explainer.stop)
    const neon = await startProxy(stack.neon_sql_url, {
      before: async ({ body }) => {
        const since = await called(worker.url)
        if (since.length > 0) functionsNow = since
        const functions = functionsNow // those of a concurrent request may follow while this one is explained
        for (const name of functions) seen.add(name)
        hearings.push({ texts: await explainer.explain(body, stepNow), functions })
        return undefined
      },
    })
    stops.push(neon.stop)
    const bundle = await copyBundle(stack.dir)
    const functions = [...watch(bundle)]
    const watched = { ...settings, NEON_SQL_URL: neon.url }
    const worker = await startBare(bundle, watched)
    stops.push(worker.kill)
    await stack.worker.kill()
    const port = Number(new URL(stack.base_url).port)
    const front = await startProxy(worker.url, {}, { host: 'localhost', port })
    stops.push(front.stop)

    const step: Step = async (name, work, functions = []) => {
      stepNow = name
      functionsNow = functions
      say(name)
      await work()
      await sleep(SETTLED_MS) // work after the response
      stepNow = 'between the steps'
    }
    const [key = ''] = await withClient(stack.database_url, (client) =>
      makeKeys(client, 1, settings.CREDENTIALS_KEY),
    )
    const first = await h.sql('select reg, name from agents order by id limit 50')
    const filled = { key, regs: first.map(({ reg }) => reg), names: first.map(({ name }) => name) }
    await walk(h, step, filled, watched as never)

    const explained = new Set(explainer.plans().map(({ text }) => text))
    const senderOf = senders(hearings)
    return {
      statements: explainer.plans().map((plan) => ({ ...plan, by: senderOf(plan.text) })),
      unexplained: [...new Set(hearings.flatMap(({ texts }) => texts))].filter(
        (text) => !explained.has(text),
      ),
      functions,
      unseen: functions.filter((name) => !seen.has(name)),
    }
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/** Finds the function whose calls match the occurrences of a statement best. */
function senders(hearings: readonly { texts: string[]; functions: string[] }[]): (text: string) => string {
  const calls = countOf(hearings.flatMap(({ functions }) => [...new Set(functions)]))
  const heard = new Map<string, string[][]>()
  for (const { texts, functions } of hearings) {
    for (const text of new Set(texts)) heard.set(text, [...(heard.get(text) ?? []), functions])
  }
  return (text) => {
    const sent = heard.get(text) ?? []
    const both = countOf(sent.flatMap((functions) => [...new Set(functions)]))
    const likeness = (name: string) => {
      const shared = both.get(name) ?? 0
      return shared / (sent.length + (calls.get(name) ?? 0) - shared)
    }
    return [...calls.keys()].toSorted((a, b) => likeness(b) - likeness(a))[0] ?? '?'
  }
}

function countOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
