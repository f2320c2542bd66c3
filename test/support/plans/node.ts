/** A step of a plan that was run. */
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

/** What a statement has looked at. */
export interface Found {
  /** Pages of tables and indexes, in memory or not. */
  buffers: number
  indexes: string[]
  /** Tables that were read whole. */
  whole: string[]
  /** Rows that were read of each table. */
  read: Record<string, number>
}

/**
 * Adds up what each node has looked at itself. The root alone would not do: a write of a common table expression that
 * nobody reads runs after it. What a CTE Scan reads, the expression has been counted for.
 *
 * @param nested the plans inside of functions, whose pages the root has counted
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

/** How many rows a scan has read, those that its filter has dropped too. */
export function rowsOf(node: Node): number {
  const each = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)
  return Math.round(each * (node['Actual Loops'] ?? 1))
}
