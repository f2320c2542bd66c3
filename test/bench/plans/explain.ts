import pg from 'pg'
import { parsePayload, type Statement, toText } from '../../../local/stand-ins/neon/wire.ts'

/** Of each text so many are explained: later ones have other parameters, and may have other plans. */
const EACH_MOST = 10

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Node[]
}

/** What the database does for a statement: of all its runs the dearest. */
export interface Plan {
  text: string
  runs: number
  /** What was asked of the Worker then. */
  asked: string
  planning_ms: number
  execution_ms: number
  /** Pages of tables and indexes that were looked at, in memory or not. */
  buffers: number
  rows: number
  indexes: string[]
  /** Tables that were read whole. */
  whole: string[]
}

/** Explains what a Worker sends, in the state of the database in which it comes. */
export interface Explainer {
  /** Explains a request of the driver, and answers its texts; what it writes is undone. */
  explain(body: string, asked: string): Promise<string[]>
  plans(): Plan[]
  stop(): Promise<void>
}

/** @param url the database as the Worker's role, whose settings decide on plans */
export async function startExplainer(url: string): Promise<Explainer> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined) // the server stops before the client
  await client.connect()
  const plans = new Map<string, Plan>()
  let turn = Promise.resolve()

  async function run(statements: readonly Statement[], asked: string | null): Promise<void> {
    await client.query('begin')
    try {
      for (const { query, params } of statements) {
        const config = {
          text: `explain (analyze, buffers, format json) ${query}`,
          values: params.map(toText),
        }
        const { rows } = await client.query(config)
        if (asked !== null) keep(query, asked, rows[0]['QUERY PLAN'][0])
      }
    } catch {
      // What the database refuses it refuses the Worker too, and the Worker may mean that.
    } finally {
      await client.query('rollback')
    }
  }

  function keep(
    text: string,
    asked: string,
    found: { Plan: Node; 'Planning Time': number; 'Execution Time': number },
  ): void {
    const plan = {
      text,
      asked,
      runs: 1 + (plans.get(text)?.runs ?? 0),
      planning_ms: found['Planning Time'],
      execution_ms: found['Execution Time'],
      rows: found.Plan['Actual Rows'],
      ...read(found.Plan),
    }
    const before = plans.get(text)
    if (!before || plan.buffers > before.buffers) plans.set(text, plan)
    else before.runs += 1
  }

  return {
    async explain(body, asked) {
      const payload = parsePayload(body)
      const statements = 'queries' in payload ? payload.queries : [payload]
      const texts = statements.map(({ query }) => query)
      if (texts.every((text) => (plans.get(text)?.runs ?? 0) >= EACH_MOST)) return texts
      // The first one warms the catalogue's caches, as those of a connection in use are.
      turn = turn.then(() => run(statements, null)).then(() => run(statements, asked))
      await turn
      return texts
    },
    plans: () => [...plans.values()],
    stop: () => client.end(),
  }
}

/**
 * Adds up what each node has looked at itself. The root alone would not do: a write of a common table expression that
 * nobody reads runs after it. What a CTE Scan reads, the expression has been counted for.
 */
function read(root: Node): Pick<Plan, 'buffers' | 'indexes' | 'whole'> {
  const [indexes, whole] = [new Set<string>(), new Set<string>()]
  let buffers = 0
  const of = (node: Node) => node['Shared Hit Blocks'] + node['Shared Read Blocks']
  const look = (node: Node) => {
    const below = node.Plans ?? []
    if (node['Index Name']) indexes.add(node['Index Name'])
    if (node['Node Type'] === 'Seq Scan') whole.add(node['Relation Name'] ?? '')
    if (node['Node Type'] !== 'CTE Scan') {
      buffers += Math.max(0, of(node) - below.reduce((sum, one) => sum + of(one), 0))
    }
    below.forEach(look)
  }
  look(root)
  return { buffers, indexes: [...indexes], whole: [...whole] }
}
