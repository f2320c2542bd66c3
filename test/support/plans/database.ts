import { randomUUID } from 'node:crypto'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { expect } from 'vitest'
import type { Db } from '../../../src/db/client.ts'
import type { Harness } from '../harness.ts'
import { createMigrated } from '../migrate.ts'

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

const TELL_PLANS = `
  load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
  set auto_explain.log_analyze = on; set auto_explain.log_format = json; set auto_explain.log_level = notice`

/**
 * A separate database on the shared server, filled so that sequential scans are expensive, to examine the plans of the
 * stores' statements.
 */
export function plansDatabase(h: Harness) {
  const name = `plans_${randomUUID().replaceAll('-', '')}`
  const url = new URL(h.database_url)
  url.pathname = `/${name}`
  const client = new pg.Client({ connectionString: url.href })
  const heard: Plan[] = []
  // Executed plans arrive as notices, including those inside functions.
  client.on('notice', ({ message }) => {
    const reported = /^duration: .*plan:\n(.*)$/s.exec(message ?? '')?.[1]
    if (reported) heard.push(JSON.parse(reported).Plan)
  })
  const db = reported(drizzle(client))

  return {
    db,

    /** Creates the database and runs these statements. */
    async fill(statements: string): Promise<void> {
      await createMigrated(h, name)
      await client.connect()
      for (const statement of statements.split(';\n')) if (statement.trim()) await client.query(statement)
      await client.query('vacuum analyze')
      await client.query(TELL_PLANS)
    },

    async drop(): Promise<void> {
      await client.end()
      await h.sql(`drop database if exists ${name} with (force)`)
    },

    /** The plans of the statements in some work: the used indexes, and the tables that are scanned sequentially. */
    async plansOf<T>(
      work: () => Promise<T>,
    ): Promise<{ result: T; indexes: Set<string>; whole: Set<string> }> {
      heard.length = 0
      const result = await work()
      const [indexes, whole] = [new Set<string>(), new Set<string>()]
      expect(heard.length).toBeGreaterThan(0)
      const look = (plan: Plan) => {
        if (plan['Index Name']) indexes.add(plan['Index Name'])
        if (plan['Node Type'] === 'Seq Scan') whole.add(plan['Relation Name'] ?? '')
        plan.Plans?.forEach(look)
      }
      heard.forEach(look)
      return { result, indexes, whole }
    },

    /** The number of rows of a table that the statements in some work read; writes are rolled back. */
    async rowsRead(table: string, work: () => Promise<unknown>): Promise<number> {
      heard.length = 0
      await client.query('begin')
      await work().finally(() => client.query('rollback'))
      expect(heard.length).toBeGreaterThan(0)
      let sum = 0
      const look = (plan: Plan) => {
        const rows = (plan['Actual Rows'] ?? 0) + (plan['Rows Removed by Filter'] ?? 0)
        const isRead = plan['Relation Name'] === table && plan['Node Type'].includes('Scan')
        if (isRead) sum += rows * (plan['Actual Loops'] ?? 0)
        plan.Plans?.forEach(look)
      }
      heard.forEach(look)
      return sum
    },
  }
}

/** A cast, guaranteed by the tests: they fail if a store uses more than both drivers support. */
function reported(database: object): Db {
  const batch = async (queries: PromiseLike<unknown>[]) => {
    const results: unknown[] = []
    for (const query of queries) results.push(await query)
    return results
  }
  return Object.assign(database, { batch }) as unknown as Db
}

/** The n-th id of a kind, a hexadecimal digit. */
export function uuidOf(kind: string, n: number): string {
  return `${kind}0000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
}

/** The same in SQL, where `n` is an expression. */
export function idSql(kind: string, n = 'n'): string {
  return `('${kind}0000000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
}
