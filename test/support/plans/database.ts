import { drizzle } from 'drizzle-orm/node-postgres'
import { beforeAll, expect } from 'vitest'
import type { Db } from '../../../src/db/client.ts'
import { ownDatabase } from '../database.ts'
import type { Harness } from '../harness.ts'
import { plansOn, readPlan, TELL_PLANS } from './node.ts'

/**
 * A separate database on the shared server during the tests of a file, to examine the plans of the stores' statements.
 *
 * @param fill statements that fill it so that sequential scans are expensive
 */
export function plansDatabase(h: Harness, fill: string) {
  const { client } = ownDatabase(h, 'plans')
  beforeAll(async () => {
    for (const statement of fill.split(';\n')) if (statement.trim()) await client.query(statement)
    await client.query('vacuum analyze')
    await client.query(TELL_PLANS)
  })
  const heard = plansOn(client)
  const found = () => {
    expect(heard.length).toBeGreaterThan(0)
    return heard.map((plan) => readPlan(plan, []))
  }
  const db = reported(drizzle(client))

  return {
    db,

    /** The plans of the statements in some work: the used indexes, and the tables that are scanned sequentially. */
    async plansOf(work: () => Promise<unknown>): Promise<{ indexes: Set<string>; whole: Set<string> }> {
      heard.length = 0
      await work()
      const plans = found()
      return {
        indexes: new Set(plans.flatMap(({ indexes }) => indexes)),
        whole: new Set(plans.flatMap(({ whole }) => whole)),
      }
    },

    /** The number of rows of a table that the statements in some work read; writes are rolled back. */
    async rowsRead(table: string, work: () => Promise<unknown>): Promise<number> {
      heard.length = 0
      await client.query('begin')
      await work().finally(() => client.query('rollback'))
      return found().reduce((sum, { read }) => sum + (read[table] ?? 0), 0)
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
