import { and, exists, getTableColumns, not, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import { ApiError } from '../errors.ts'
import { sleep } from '../lib/timeout.ts'
import type { Db } from './client.ts'
import { unmetRequirement } from './errors.ts'
import {
  agent_stats,
  agents,
  api_keys,
  kyc_checks,
  operators,
  ownership_challenges,
  platforms,
} from './schema.ts'

/**
 * The order in which all writes lock rows, and in a table that of this column: so writes never wait for each other in a
 * circle.
 */
const LOCK_ORDER: ReadonlyMap<PgTable, PgColumn> = new Map<PgTable, PgColumn>([
  [operators, operators.id],
  [platforms, platforms.id],
  [api_keys, api_keys.id],
  [agents, agents.id],
  [agent_stats, agent_stats.agent_id],
  [ownership_challenges, ownership_challenges.id],
  [kyc_checks, kyc_checks.id],
])

/** Concurrent changes of a row are decided again, after a random pause that doubles: so they cost each other little. */
const TRIES_MAX = 8
const PAUSE_MS = 10

const STALE = 'STALE'

type Statement<T> = RunnableQuery<T, 'pg'>

/** Columns of a row as they were read, to decide from. */
type Read<T extends PgTable> = Partial<T['$inferSelect']> & { id: string; [name: string]: unknown }

/** A statement of a transaction. */
export interface Handle<T> {
  /** What the statement returned; throws before `run`. */
  readonly result: T
}

export type Transaction<Code extends string> = ReturnType<typeof transaction<Code>>

/** Whether a row has another value in a column. */
export function differs(column: PgColumn, value: unknown): SQL {
  return sql`${column} is distinct from ${sql.param(value, column)}`
}

/** Whether a row has another value in one of these columns; undefined values are not compared. */
export function anyDiffers(table: PgTable, values: Record<string, unknown>): SQL | undefined {
  const given = Object.entries(getTableColumns(table)).filter(([name]) => values[name] !== undefined)
  return or(sql`false`, ...given.map(([name, column]) => differs(column, values[name])))
}

/**
 * Collects the statements of a write and sends them as one transaction, in one network step: first the locks, then the
 * requirements, then the writes in the order in which they were added. Thus nothing that a requirement has judged can
 * change before the writes, if its rows are locked; and if one is not met, nothing is written. This needs READ COMMITTED,
 * the default: the requirements are judged in a snapshot taken after the locks.
 *
 * @template Code the requirements that may not be met
 */
export function transaction<Code extends string = never>(db: Db) {
  const locks: { place: number; statement: Statement<unknown> }[] = []
  const requirements: SQL[] = []
  const writes: Statement<unknown>[] = []
  const errors: ApiError[] = []
  let results: unknown[] = []

  function lock(
    table: PgTable,
    rows: SQL | undefined,
    strength: 'no key update' | 'share' = 'no key update',
  ) {
    const order = LOCK_ORDER.get(table)
    if (!order) throw new Error('the table has no place in the order of locks')
    const place = [...LOCK_ORDER.keys()].indexOf(table)
    const found = db.select({ locked: sql`1` }).from(table).where(rows)
    locks.push({ place, statement: found.orderBy(order).for(strength) })
  }

  function requirement(condition: SQL | undefined, unmet: Code | ApiError | typeof STALE): SQL {
    const code = unmet instanceof ApiError ? `ERROR ${errors.push(unmet) - 1}` : unmet
    return sql`require((${condition}), ${code})`
  }

  function add<T>(statement: Statement<T>): Handle<T>
  function add<T>(statement: Statement<T> | null): Handle<T | null>
  function add<T>(statement: Statement<T> | null): Handle<T | null> {
    const place = statement ? writes.push(statement) - 1 : -1
    return {
      get result() {
        if (place >= results.length) throw new Error('the transaction has not run')
        return (results[place] ?? null) as T | null // the result of this very statement
      },
    }
  }

  return {
    /** Locks rows until the end of the transaction; `run` sorts all locks into the one order. */
    lock,

    /**
     * Refuses the write unless the condition is true: `run` then returns the code, or throws the error. Lock the rows that
     * the condition judges.
     */
    require(condition: SQL | undefined, unmet: Code | ApiError): void {
      requirements.push(requirement(condition, unmet))
    },

    /** Requires a condition that the write was decided from; if it is not true any more, `untilFresh` decides again. */
    still(condition: SQL | undefined): void {
      requirements.push(requirement(condition, STALE))
    },

    /**
     * Locks a row that the write was decided from; if it has changed since, `untilFresh` decides again.
     *
     * @param read the columns that the decision depends on: a change of others does not matter
     * @param also a condition that was true of the row
     */
    unchanged<T extends PgTable>(table: T, read: Read<T>, also?: SQL): void {
      const row = sql`${LOCK_ORDER.get(table)} = ${read.id}`
      const columns = Object.entries(getTableColumns(table)).filter(([name]) => name in read)
      const same = columns.map(([name, column]) => not(differs(column, read[name])))
      lock(table, row)
      requirements.push(requirement(isFound(db, table, and(row, ...same, also)), STALE))
    },

    /** As `require`, of what the statements added before make true. */
    requireAfter(condition: SQL, unmet: Code | ApiError): void {
      writes.push(db.execute(sql`select ${requirement(condition, unmet)}`))
    },

    /** Adds a statement; null adds nothing, and its result is null. */
    add,

    /**
     * Runs the transaction.
     *
     * @returns the code of the first requirement that was not met, and nothing was written; null if all was written
     */
    async run(): Promise<Code | null> {
      const before = locks.toSorted((a, b) => a.place - b.place).map(({ statement }) => statement)
      if (requirements.length > 0) before.push(db.execute(sql`select ${sql.join(requirements, sql`, `)}`))
      try {
        const [first, ...rest] = [...before, ...writes]
        if (!first) throw new Error('the transaction is empty')
        results = (await db.batch([first, ...rest])).slice(before.length)
        return null
      } catch (error) {
        const code = unmetRequirement(error)
        if (code === null) throw error
        if (code === STALE) throw new Stale()
        const [, nth] = /^ERROR (\d+)$/.exec(code) ?? []
        if (nth) throw errors[Number(nth)]
        return code as Code // only requirements of this transaction are in it
      }
    },
  }
}

/** What a decision is based on has changed: `untilFresh` decides again. */
export class Stale extends Error {}

/**
 * Reads, decides, and writes again while the rows that the decision is based on have changed before the write.
 *
 * @param decideAndWrite `isFirst`: whether what was read before the call can still be used
 * @throws ApiError CONFLICT after TRIES_MAX tries
 */
export async function untilFresh<T>(decideAndWrite: (isFirst: boolean) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await decideAndWrite(tries === 1)
    } catch (error) {
      if (!(error instanceof Stale)) throw error
      if (tries === TRIES_MAX)
        throw new ApiError('CONFLICT', 'changed by other requests meanwhile; try again')
      await sleep(Math.random() * PAUSE_MS * 2 ** tries)
    }
  }
}

/** Whether a row matches, as a requirement. */
export function isFound(db: Db, table: PgTable, rows: SQL | undefined): SQL {
  return exists(db.select({ found: sql`1` }).from(table).where(rows))
}

/** The only row that a statement returned, of a transaction or not. */
export function only<Row>(rows: readonly Row[] | Handle<readonly Row[]>): Row {
  const [row] = 'result' in rows ? rows.result : rows
  if (!row) throw new Error('a statement that must return a row returned none')
  return row
}
