import type pg from 'pg'

/** Reports the plans of all statements of a connection as notices, including those inside functions. */
export const TELL_PLANS = `
  load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
  set auto_explain.log_analyze = on; set auto_explain.log_format = json; set auto_explain.log_level = notice`

/** The plans of such notices so far. */
export function plansOn(client: pg.Client): Node[] {
  const heard: Node[] = []
  client.on('notice', ({ message = '' }) => {
    const plan = /^duration: .*plan:\n(.*)$/s.exec(message)?.[1]
    if (plan) heard.push(JSON.parse(plan).Plan)
  })
  return heard
}

/** A node of an executed plan. */
export interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Node[]
}

/** What a statement reads. */
export interface Found {
  /** Pages of tables and indexes, in memory or not. */
  buffers: number
  indexes: string[]
  /** Tables that were scanned sequentially. */
  whole: string[]
  /** Rows read by table. */
  read: Record<string, number>
}

/**
 * Sums what each node reads itself. The root is not sufficient: a write in a common table expression that is not
 * referenced runs after it. The rows of a CTE Scan are already counted in the expression.
 *
 * @param nested the plans inside functions, whose buffers the root has counted
 */
export function readPlan(root: Node, nested: readonly Node[]): Found {
  const [indexes, whole] = [new Set<string>(), new Set<string>()]
  const read: Record<string, number> = {}
  let buffers = 0
  const of = (node: Node) => node['Shared Hit Blocks'] + node['Shared Read Blocks']
  const look = (node: Node, isNested: boolean) => {
    const below = node.Plans ?? []
    const table = node['Relation Name']
    if (node['Index Name']) indexes.add(node['Index Name'])
    if (node['Node Type'] === 'Seq Scan') whole.add(table ?? '')
    if (table && node['Node Type'].includes('Scan')) read[table] = (read[table] ?? 0) + rowsOf(node)
    if (!isNested && node['Node Type'] !== 'CTE Scan') {
      buffers += Math.max(0, of(node) - below.reduce((sum, one) => sum + of(one), 0))
    }
    for (const one of below) look(one, isNested)
  }
  look(root, false)
  for (const one of nested) look(one, true)
  return { buffers, indexes: [...indexes], whole: [...whole], read }
}

/** How many rows a scan has read, including those that its filter removed. */
function rowsOf(node: Node): number {
  const each = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
  return Math.round(each * (node['Actual Loops'] ?? 1))
}
