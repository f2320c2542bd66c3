import { parseArgs } from 'node:util'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { logPath } from '../../src/lib/log-path.ts'
import { sameBytes } from '../../src/transparency/bytes.ts'
import { type Leaf, leafBytes } from '../../src/transparency/leaf.ts'
import { inTransaction, withDatabase } from '../support/database.ts'
import type { Command } from './command.ts'
import {
  appendLeaf,
  copyTail,
  findHeadsAfter,
  findInvalidBundle,
  findNewestNote,
  type LogState,
  lockLog,
  pauseLost,
  rootOf,
  unpause,
} from './log-resume-store.ts'

const OPTIONS = { 'new-origin': { type: 'string' }, 'as-it-is': { type: 'boolean', default: false } } as const

/** Resumes a paused transparency log. */
export const logResumeCommand: Command = {
  usage: '(with LOST_DATABASE_URL) | --new-origin <host>/log/2 | --as-it-is',
  async run(databaseUrl, args) {
    const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
    const lostUrl = process.env.LOST_DATABASE_URL || undefined
    const ways = [lostUrl, values['new-origin'], values['as-it-is'] || undefined]
    if (positionals.length > 0 || ways.filter((way) => way !== undefined).length !== 1) return null
    const origin = values['new-origin']
    if (origin !== undefined && logPath(origin) === null)
      throw new Error('--new-origin: must have the form registry.example/log/2')
    const now = new Date()
    const url = databaseUrl()
    return withDatabase(url, (db) =>
      inTransaction(db, async () => {
        const state = await lockLog(db)
        if (state.paused === null && !lostUrl) throw new Error('the log is not paused')
        if (lostUrl === url) throw new Error('LOST_DATABASE_URL: must be another database than DATABASE_URL')
        const done = lostUrl
          ? await withDatabase(lostUrl, (lost) => bringBack(db, lost, state, now))
          : origin
            ? await beginAnew(db, state, origin, now)
            : `the log continues unchanged, with ${state.size} leaves`
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
  if (to < from)
    throw new Error(`LOST_DATABASE_URL: has ${to} leaves, but DATABASE_URL has ${from}: are they swapped?`)
  if (!sameBytes(await rootOf(db, from), await rootOf(lost, from)))
    throw new Error(`LOST_DATABASE_URL: its first ${from} leaves differ from those of DATABASE_URL`)
  if (to === from) return `the lost database has no further leaves: the log continues with ${from}`
  await copyTail(db, lost, { from, to })
  if (!sameBytes(await rootOf(db, to), await rootOf(lost, to)))
    throw new Error('the restored leaves have a different root than in the lost database')
  await requireSound(db, from)
  const leaf = textOf({ v: 1, kind: 'restore', from, to, at: now.toISOString() })
  await appendLeaf(db, { kind: 'restore', subject: `${from} ${to}`, leaf }, now)
  return `leaves ${from} to ${to - 1} are restored, and leaf ${to} states that they are no longer valid`
}

/**
 * Checks that the copied leaves, tiles and heads agree: a lost database may have been changed by hand.
 *
 * @throws Error that states what does not agree
 */
async function requireSound(db: NodePgDatabase, from: number): Promise<void> {
  const bundle = await findInvalidBundle(db, from)
  if (bundle !== null)
    throw new Error(`LOST_DATABASE_URL: the leaves of its bundle ${bundle} do not match its tile`)
  for (const { size, root } of await findHeadsAfter(db, from))
    if (!sameBytes(await rootOf(db, size), root))
      throw new Error(`LOST_DATABASE_URL: its tree does not match its signed head of ${size} leaves`)
}

/** Continues the log under a new origin, with the remaining leaves. */
async function beginAnew(db: NodePgDatabase, { size }: LogState, origin: string, now: Date): Promise<string> {
  const { note, spec, origins } = await findNewestNote(db)
  if (origins.some((one) => logPath(one) === logPath(origin)))
    throw new Error(
      `--new-origin: the log was already served below ${logPath(origin)}, and caches keep its tiles`,
    )
  const leaf = textOf({ v: 1, kind: 'log', origin, spec, previous: note })
  await appendLeaf(db, { kind: 'log', subject: origin, leaf }, now)
  return [
    `the log is ${origin} from leaf ${size} on`,
    `Now create its key with "admin -- log-key ${origin}", and set LOG_ORIGIN and LOG_KEY.`,
  ].join('\n')
}

function textOf(leaf: Leaf): string {
  return new TextDecoder().decode(leafBytes(leaf))
}
