import { randomUUID } from 'node:crypto'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { expect } from 'vitest'
import type { Db } from '../../../src/db/client.ts'
import type { Harness } from '../harness.ts'
import { migrateInTurn } from '../migrate.ts'

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
 * A database of its own on the server that the tests share, to fill so that reading a whole table is the dear way,
 * and to ask what the planner does for the stores' own statements.
 */
export function plansDatabase(h: Harness) {
  const name = `plans_${randomUUID().replaceAll('-', '')}`
  const url = new URL(h.database_url)
  url.pathname = `/${name}`
  const client = new pg.Client({ connectionString: url.href })
  const heard: Plan[] = []
  // The plans that were run come as notices, those inside of functions too.
  client.on('notice', ({ message }) => {
    const reported = /^duration: .*plan:\n(.*)$/s.exec(message ?? '')?.[1]
    if (reported) heard.push(JSON.parse(reported).Plan)
  })
  const db = reported(drizzle(client))

  return {
    db,

    /** Creates the database, with the rows that these statements make. */
    async fill(statements: string): Promise<void> {
      await h.sql(`create database ${name}`)
      await migrateInTurn(h, url.href)
      await client.connect()
      for (const statement of statements.split(';\n')) if (statement.trim()) await client.query(statement)
      await client.query('vacuum analyze')
      await client.query(TELL_PLANS)
    },

    async drop(): Promise<void> {
      await client.end()
      await h.sql(`drop database if exists ${name} with (force)`)
    },

    /** What the planner does for the statements that some work makes: the indexes used, and the tables read whole. */
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

    /** How many rows of a table the statements that some work makes do read; what they write is undone. */
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

/** Guaranteed by the tests, which fail when a store uses more of its database than both drivers have. */
function reported(database: object): Db {
  const batch = async (queries: PromiseLike<unknown>[]) => {
    const results: unknown[] = []
    for (const query of queries) results.push(await query)
    return results
  }
  return Object.assign(database, { batch }) as unknown as Db
}

/** The n-th id of a kind, which is one hexadecimal digit. */
export function uuidOf(kind: string, n: number): string {
  return `${kind}0000000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
}

/** The same in SQL, where `n` is an expression. */
export function idSql(kind: string, n = 'n'): string {
  return `('${kind}0000000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
}
