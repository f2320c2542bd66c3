import pg from 'pg'
import { parsePayload, type Statement } from '../../../local/stand-ins/neon/wire.ts'
import { type Found, type Node, plansOn, readPlan, TELL_PLANS } from './node.ts'

/** The most expensive plan of a statement. */
export interface Plan extends Found {
  text: string
  runs: number
  /** The request to the Worker that led to it. */
  requested: string
  planning_ms: number
  execution_ms: number
  rows: number
}

/** Explains the statements of a Worker, in the state of the database at that time. */
interface Explainer {
  /** Explains a request of the driver, and returns its statements; writes are rolled back. */
  explain(body: string, requested: string): Promise<string[]>
  plans(): Plan[]
  stop(): Promise<void>
}

interface Options {
  /** How often each statement is explained, as other parameters can have other plans. */
  eachMost: number
  /** Whether each is executed once before, which fills the catalog caches as in a used connection. */
  warms: boolean
  /** If false, a table is scanned sequentially only if no index is usable, even with few rows. */
  readsWhole: boolean
}

/**
 * @param ownerUrl connection string of the owner, a superuser, who receives the plans inside functions
 * @param workerUrl connection string of the Worker's role, whose privileges and settings apply
 */
export async function startExplainer(
  ownerUrl: string,
  workerUrl: string,
  { eachMost, warms, readsWhole }: Options,
): Promise<Explainer> {
  const client = new pg.Client({ connectionString: ownerUrl })
  client.on('error', () => undefined) // the server stops before the client
  const reported = plansOn(client)
  await client.connect()
  await client.query(TELL_PLANS)
  if (!readsWhole) await client.query('set enable_seqscan = off')
  await become(client, decodeURIComponent(new URL(workerUrl).username))
  const plans = new Map<string, Plan>()
  let turn = Promise.resolve()

  async function run(statements: readonly Statement[], requested: string | null): Promise<void> {
    await client.query('begin')
    try {
      for (const { query, params } of statements) {
        const config = {
          text: `explain (analyze, buffers, format json) ${query}`,
          values: params,
        }
        reported.length = 0
        const { rows } = await client.query(config)
        if (requested !== null) keep(query, requested, rows[0]['QUERY PLAN'][0])
      }
    } catch {
      // A statement that fails here also fails for the Worker, possibly on purpose.
    } finally {
      await client.query('rollback')
    }
  }

  function keep(
    text: string,
    requested: string,
    found: { Plan: Node; 'Planning Time': number; 'Execution Time': number },
  ): void {
    const nested = reported.slice(0, -1) // the last one is the statement itself
    const plan = {
      text,
      requested,
      runs: 1,
      planning_ms: found['Planning Time'],
      execution_ms: found['Execution Time'],
      rows: found.Plan['Actual Rows'],
      ...readPlan(found.Plan, nested),
    }
    const before = plans.get(text)
    if (!before) return void plans.set(text, plan)
    const dearest = plan.buffers > before.buffers ? plan : before
    const read = { ...before.read }
    for (const [table, rows] of Object.entries(plan.read)) read[table] = Math.max(rows, read[table] ?? 0)
    const whole = [...new Set([...before.whole, ...plan.whole])]
    plans.set(text, { ...dearest, runs: before.runs + 1, read, whole })
  }

  return {
    async explain(body, requested) {
      const payload = parsePayload(body)
      const statements = 'queries' in payload ? payload.queries : [payload]
      const texts = statements.map(({ query }) => query)
      if (texts.every((text) => (plans.get(text)?.runs ?? 0) >= eachMost)) return texts
      turn = turn
        .then(() => (warms ? run(statements, null) : undefined))
        .then(() => run(statements, requested))
      await turn
      return texts
    },
    plans: () => [...plans.values()],
    stop: () => client.end(),
  }
}

/** Sets the privileges and settings of a role. */
async function become(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<{ setting: string }>(
    `select unnest(setconfig) as setting from pg_db_role_setting s join pg_roles r on r.oid = s.setrole
     where rolname = $1`,
    [role],
  )
  for (const { setting } of rows) {
    const [name, ...value] = setting.split('=')
    await client.query('select set_config($1, $2, false)', [name, value.join('=')])
  }
  await client.query(`set role ${client.escapeIdentifier(role)}`)
}
