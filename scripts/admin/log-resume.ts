import { parseArgs } from 'node:util'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { logPath } from '../../src/lib/log-path.ts'
import { sameBytes } from '../../src/transparency/bytes.ts'
import { type Leaf, leafBytes } from '../../src/transparency/leaf.ts'
import { withDatabase } from '../support/database.ts'
import type { Command } from './command.ts'
import {
  appendLeaf,
  copyTail,
  findHeadsAfter,
  findNewestNote,
  findOddBundle,
  type LogState,
  lockLog,
  pauseLost,
  rootOf,
  unpause,
} from './log-resume-store.ts'
import { inTransaction } from './transaction.ts'

const OPTIONS = { 'new-origin': { type: 'string' }, 'as-it-is': { type: 'boolean', default: false } } as const

/** Lets a paused transparency log go on. */
export const logResumeCommand: Command = {
  usage: '(with LOST_DATABASE_URL) | --new-origin <host>/log/2 | --as-it-is',
  async run(databaseUrl, args) {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
    const lostUrl = process.env.LOST_DATABASE_URL || undefined
    const ways = [lostUrl, values['new-origin'], values['as-it-is'] || undefined]
    if (positionals.length > 0 || ways.filter((way) => way !== undefined).length !== 1) return null
    const origin = values['new-origin']
    if (origin !== undefined && logPath(origin) === null)
      throw new Error('--new-origin: must be as registry.example/log/2')
    const now = new Date()
    return withDatabase(databaseUrl, (db) =>
      inTransaction(db, false, async () => {
        const state = await lockLog(db)
        if (state.paused === null && !lostUrl) throw new Error('the log is not paused')
        if (lostUrl === databaseUrl)
          throw new Error('LOST_DATABASE_URL: must be another database than DATABASE_URL')
        const done = lostUrl
          ? await withDatabase(lostUrl, (lost) => bringBack(db, lost, state, now))
          : origin
            ? await beginAnew(db, state, origin, now)
            : `the log goes on as it is, with ${state.size} leaves`
        await unpause(db)
        return done
      }),
    )
  },
}

/**
 * Brings the leaves back that a database has lost, and says by one more that they are no longer valid: old proofs stay true, and
 * the tree never forks. What they had recorded is gone, so nobody can open them.
 *
 * @throws Error when the lost log does not continue this one
 */
async function bringBack(
  db: NodePgDatabase,
  lost: NodePgDatabase,
  { size: from }: LogState,
  now: Date,
): Promise<string> {
  const to = await pauseLost(lost)
  if (to < from) throw new Error(`LOST_DATABASE_URL: has ${to} leaves, this one ${from}: are they swapped?`)
  if (!sameBytes(await rootOf(db, from), await rootOf(lost, from)))
    throw new Error(`LOST_DATABASE_URL: its first ${from} leaves are others than those of this database`)
  if (to === from) return `the lost database has no more leaves: the log goes on with ${from}`
  await copyTail(db, lost, { from, to })
  if (!sameBytes(await rootOf(db, to), await rootOf(lost, to)))
    throw new Error('what was brought back has another root than in the lost database')
  await requireSound(db, from)
  const leaf = textOf({ v: 1, kind: 'restore', from, to, at: now.toISOString() })
  await appendLeaf(db, { kind: 'restore', subject: `${from} ${to}`, leaf }, now)
  return `leaves ${from} to ${to - 1} are back, and leaf ${to} states that they are no longer valid`
}

/**
 * Holds what was copied against itself: a lost database may have been changed by hand.
 *
 * @throws Error that says what does not fit
 */
async function requireSound(db: NodePgDatabase, from: number): Promise<void> {
  const bundle = await findOddBundle(db, from)
  if (bundle !== null)
    throw new Error(`LOST_DATABASE_URL: the leaves of its bundle ${bundle} are not those of its tile`)
  for (const { size, root } of await findHeadsAfter(db, from))
    if (!sameBytes(await rootOf(db, size), root))
      throw new Error(
        `LOST_DATABASE_URL: its tree is not that of the head of ${size} leaves that it has signed`,
      )
}

/** Begins the log's next life under another name, with the leaves that are left. */
async function beginAnew(db: NodePgDatabase, { size }: LogState, origin: string, now: Date): Promise<string> {
  const { note, spec, origins } = await findNewestNote(db)
  if (origins.some((one) => logPath(one) === logPath(origin)))
    throw new Error(`--new-origin: the log was below ${logPath(origin)} already: caches keep its tiles`)
  const leaf = textOf({ v: 1, kind: 'log', origin, spec, previous: note })
  await appendLeaf(db, { kind: 'log', subject: origin, leaf }, now)
  return [
    `the log is ${origin} from leaf ${size} on`,
    `Now make its key with "admin -- log-key ${origin}", and set LOG_ORIGIN and LOG_KEY.`,
  ].join('\n')
}

function textOf(leaf: Leaf): string {
  return new TextDecoder().decode(leafBytes(leaf))
}
