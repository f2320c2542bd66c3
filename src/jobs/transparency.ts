import type { Db } from '../db/client.ts'
import { rejectedWith, STATEMENT_TIMEOUT } from '../db/errors.ts'
import { log } from '../lib/log.ts'
import { type Head, knownHead, raiseHead } from '../tlog/redis-head.ts'
import { type LogSettings, logSettings } from '../tlog/settings.ts'
import {
  appendEvents,
  appendFacts,
  findDiffering,
  findHead,
  isPaused,
  pauseLog,
  readEdges,
  type SignedHead,
  storeHead,
} from '../tlog/store.ts'
import { mergeCosignatures, requestCosignatures } from '../tlog/witnesses.ts'
import { sameBytes } from '../transparency/bytes.ts'
import { formatCheckpoint } from '../transparency/checkpoint.ts'
import { verifyConsistency } from '../transparency/merkle.ts'
import { signNote } from '../transparency/note.ts'
import { consistencyPath, rootFromTiles } from '../transparency/tiles.ts'
import type { JobScope } from './scope.ts'

const LEAVES = 4_096
/** A call that times out is repeated with half as many leaves, down to this number. */
const LEAVES_MIN = 64
const APPEND_MS = 30_000
/** A head that was signed longer ago is signed and cosigned again. */
const FRESH_MS = 600_000
const SAMPLE = 4
const CLAIMS_MAX = 3

/**
 * Appends what was recorded since the last run to the transparency log, and signs the new head. The head is stored in Redis
 * before it is signed: a restored database that is behind it, or a tree that does not continue it, gets no leaves and no
 * signature. If Redis has no head, witnesses are asked before anything is appended.
 *
 * @throws Error if Redis does not respond, the log is paused or behind, or its tree does not contain the last head
 */
export async function sequenceLog({ env, db, now }: JobScope): Promise<Record<string, number>> {
  const settings = await logSettings(env)
  if (!settings) return {}
  const [inRedis, stored] = await Promise.all([knownHead(env), findHead(db)])
  const known = inRedis ?? (await recoverHead({ env, db }, settings, stored))
  const head: Head | null = known && known.size >= (stored?.size ?? 0) ? known : stored
  const { size, appended, failure } = await appendAll(db, settings, head?.size ?? null, now)
  if (size === null) return { busy: 1 }
  const isFresh =
    known?.size === size &&
    stored?.size === size &&
    Math.abs(now.getTime() - Date.parse(stored.signed_at)) < FRESH_MS
  if (!isFresh && size > 0) await signHead({ env, db, now }, settings, { known, stored, size })
  // Last, because no signature depends on it.
  if (failure) throw failure
  return { appended, size, differing: await countDiffering(db, size) }
}

/**
 * The stored head, which takes the place of the one that Redis has lost. The database could have been set back, too:
 * witnesses get this head again, or that of the empty tree, and respond if they know a larger one.
 *
 * @throws Error if one of them does, or none responds
 */
async function recoverHead(
  { env, db }: Pick<JobScope, 'env' | 'db'>,
  { origin, signers, witnesses }: LogSettings,
  stored: SignedHead | null,
): Promise<Head | null> {
  log('warning', 'tlog_head_unknown', { stored: stored?.size ?? null })
  if (await isPaused(db)) return stored
  const size = stored?.size ?? 0
  const root = stored?.root ?? (await rootFromTiles(0, async () => []))
  const { responded, rejected } = await requestCosignatures(witnesses, {
    size,
    note: await signNote(formatCheckpoint({ origin, size, root }), signers),
    oldSize: size,
    pathFrom: async (from) => consistencyPath(from, size, await readEdges(db, [from, size])),
  })
  if (rejected.length > 0) {
    const newest = await knownHead(env)
    if (newest) return newest // of another sequencer, which the witness has seen
    log('error', 'tlog_witness_refused', { refused: rejected })
    // The size in a rejection is not signed: it pauses the log only here, where no head contradicts it.
    await pauseLog(db, 'witness')
    throw new Error(`the log is paused: ${rejected.join('; ')}`)
  }
  if (responded === 0 && witnesses.some(({ url }) => url !== null))
    throw new Error('nothing is appended to the log: its head is unknown, and no witness responds')
  return stored && ((await raiseHead(env, null, stored)) ?? stored)
}

interface AppendedAll {
  /** Null if another sequencer is running. */
  size: number | null
  appended: number
  /** The error that prevented the rest from being appended; what was appended is still signed. */
  failure?: unknown
}

/**
 * Appends until nothing is left or the time is up: first events, then other facts.
 *
 * @throws Error if nothing may be appended
 */
async function appendAll(
  db: Db,
  { declaration }: LogSettings,
  head: number | null,
  now: Date,
): Promise<AppendedAll> {
  const began = Date.now()
  const call = { most: LEAVES, now, head }
  const done: AppendedAll = { size: null, appended: 0 }
  const calls = [() => appendEvents(db, call), () => appendFacts(db, call, declaration)]
  for (let turn = calls[0]; turn && Date.now() - began < APPEND_MS; ) {
    try {
      const result = await turn()
      if (result.refusal === 'busy') return { ...done, size: null }
      if (result.refusal !== undefined) {
        log('error', 'tlog_refused', { reason: result.refusal, head })
        throw new Error(`nothing is appended to the log: ${result.refusal}`)
      }
      done.appended += result.appended
      done.size = result.size
      if (!result.more) turn = calls[calls.indexOf(turn) + 1]
      else if (result.size === 1) turn = calls[0] // the log has just been declared: events come first again
    } catch (failure) {
      if (rejectedWith(STATEMENT_TIMEOUT, failure) && call.most > LEAVES_MIN) call.most /= 2
      else if (done.size === null) throw failure
      else return { ...done, failure }
    }
  }
  return done
}

async function signHead(
  { env, db, now }: JobScope,
  { origin, signers, witnesses }: LogSettings,
  { known, stored, size }: { known: Head | null; stored: SignedHead | null; size: number },
): Promise<void> {
  const oldSize = stored?.size ?? 0
  const root = await rootFromTiles(size, await readEdges(db, [size]))
  if (stored && stored.size > (known?.size ?? -1)) await requireContinued(db, stored, { size, root })
  if (!(await claim({ env, db }, known, { size, root }))) return // another sequencer is ahead
  const note = await signNote(formatCheckpoint({ origin, size, root }), signers)
  const pathFrom = async (from: number) => consistencyPath(from, size, await readEdges(db, [from, size]))
  const { cosignatures, rejected } = await requestCosignatures(witnesses, { size, note, oldSize, pathFrom })
  if (rejected.length > 0) {
    const newest = await knownHead(env)
    if (newest && newest.size > size) return // the witness has the head of another sequencer, which is ahead
    log('error', 'tlog_witness_refused', { refused: rejected })
  }
  const kept = stored?.size === size ? stored.cosignatures : ''
  await storeHead(db, {
    size,
    root,
    note,
    cosignatures: mergeCosignatures(kept, cosignatures),
    signed_at: now.toISOString(),
  })
}

/** Stores a head in Redis, which must continue the one stored there; false if another sequencer is ahead. */
async function claim(
  { env, db }: Pick<JobScope, 'env' | 'db'>,
  known: Head | null,
  head: Head,
): Promise<boolean> {
  let before = known
  for (let n = 0; n < CLAIMS_MAX; n++) {
    if (before) await requireContinued(db, before, head)
    const other = await raiseHead(env, before, head)
    if (!other) return true
    if (other.size > head.size) return false
    before = other
  }
  return false
}

/** Pauses the log and throws if the tree does not contain an earlier head, or the next head does not continue it. */
async function requireContinued(db: Db, head: Head, next: Head): Promise<void> {
  const readTiles = await readEdges(db, [head.size, next.size])
  const isSame = sameBytes(await rootFromTiles(head.size, readTiles), head.root)
  const path = isSame ? await consistencyPath(head.size, next.size, readTiles) : []
  const continues =
    isSame &&
    (await verifyConsistency({
      oldSize: head.size,
      oldRoot: head.root,
      size: next.size,
      root: next.root,
      path,
    }))
  if (continues) return
  const problem = `its tree does not hold the head of ${head.size} leaves`
  log('error', 'tlog_forked', { problem })
  await pauseLog(db, 'fork')
  throw new Error(`the log is paused: ${problem}`)
}

/** Compares random leaves with the events that are stored; returns how many differ. */
async function countDiffering(db: Db, size: number): Promise<number> {
  if (size === 0) return 0
  const indexes = Array.from({ length: SAMPLE }, () => Math.floor(Math.random() * size))
  const differing = await findDiffering(db, indexes)
  if (differing.length > 0) log('error', 'tlog_event_changed', { indexes: differing })
  return differing.length
}
