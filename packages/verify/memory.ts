import { decodeBase64, encodeBase64, isCount, sameBytes } from '../../src/transparency/bytes.ts'
import { openCheckpoint, parseCheckpoint } from '../../src/transparency/checkpoint.ts'
import { SIGNATURE_TYPES, type VerifierKey } from '../../src/transparency/keys.ts'
import { leafBytes } from '../../src/transparency/leaf.ts'
import type { Policy } from '../../src/transparency/policy.ts'
import type { Check, Context } from './checks.ts'
import type { Voided } from './entries.ts'
import { type Head, NO_WITNESSES, type OpenHead, openAsListed, parseKeys } from './head.ts'
import { type KeyMove, leavesIn } from './leaves.ts'
import { CheckFailed, Inconclusive, requireNone, requireVerified } from './problems.ts'

const MAX_HEADS = 1_000

/** A head of the log that was seen, and verified to continue the previous one. */
export interface SeenHead {
  size: number
  /** Standard base64. */
  root: string
  /** ISO 8601. */
  seen_at: string
  note: string
}

/** What verifications remember of a log; store it as JSON. */
export interface LogState {
  version: 1
  origin: string
  vkeys: string[]
  /** Verifier keys of the witnesses that the registry named. */
  witnesses: string[]
  /** Oldest first. */
  heads: SeenHead[]
  /** Known ranges of leaves that a restore has declared void. */
  restores: Voided[]
}

/** What a verification trusts beyond its state. */
export interface Trust {
  /** The trusted keys of the log; default: those of the policy, else of the state, else of the registry. */
  logs?: readonly VerifierKey[]
  /** Which witnesses must have cosigned its heads; default: one of the state or, if it has none, of the registry. */
  policy?: Policy
  /** Restores whose reason is known. */
  acceptedRestores?: readonly Voided[]
}

/** Compares the log with what earlier verifications have seen. */
export interface LogMemory {
  check: Check
  /** Verifies a head with the trusted keys and witnesses. */
  openCheckpoint: OpenHead
  /** The heads of the current log that were seen before, oldest first. */
  heads(): readonly SeenHead[]
  /** Trusts keys that the log has added, and no longer those that it has removed. */
  learn(moves: readonly KeyMove[]): void
  /** What to store for the next verification; null if the log does not continue what was seen. */
  state(): LogState | null
}

/**
 * Reads a state that was stored.
 *
 * @returns null if it is not one
 */
export function parseLogState(text: string): LogState | null {
  try {
    const state = JSON.parse(text) as LogState
    const isHead = ({ size, root, seen_at, note }: SeenHead) =>
      isCount(size) && decodeBase64(root) && Date.parse(seen_at) > 0 && typeof note === 'string'
    const isState = state.version === 1 && typeof state.origin === 'string'
    const { vkeys, witnesses, heads, restores } = state
    const hasLists =
      isState && vkeys.length > 0 && heads.length > 0 && Array.isArray(witnesses) && Array.isArray(restores)
    return hasLists && state.heads.every(isHead) ? state : null
  } catch {
    return null
  }
}

/**
 * Creates the option `memory` of a verification. Only with it, a rewritten log is detected.
 *
 * @param before the state of earlier verifications; null for the first one, which trusts the keys and witnesses that the
 * registry names, unless others are given
 *
 * Source: docs/use/transparency.md, "What is checked", 3
 */
export function logMemory(
  before: LogState | null,
  { policy, logs = policy?.logs ?? [], acceptedRestores = [] }: Trust = {},
): LogMemory {
  let trusted: VerifierKey[] = []
  let after: LogState | null = null
  let current = ''

  return {
    check: {
      name: 'state',
      async verify(context) {
        const head = requireVerified(context.head, 'the checkpoint')
        const { notes } = context
        const { checkpoint, note, seenAt } = head
        const { origin, size, root } = checkpoint
        const words = before ? await requireContinued(before, context, head) : `${size} leaves are remembered`
        if (before) requireKnown(head.voided, [...before.restores, ...acceptedRestores])
        const seen = before?.origin === origin ? before.heads : []
        const now = { size, root: encodeBase64(root), seen_at: seenAt.toISOString(), note }
        const heads = seen.at(-1)?.size === size ? seen : [...seen, now]
        const vkeys = trusted.filter(({ name }) => name === origin).map(({ vkey }) => vkey)
        const listed = head.info.witnesses.map(({ vkey }) => vkey)
        const known = before?.witnesses ?? []
        // Other witnesses replace the known ones only under a head that a known one, or one of the policy, cosigned.
        const isReplaced = listed.length > 0 && context.witnesses.length > 0
        after = {
          version: 1,
          origin,
          vkeys: [...new Set(vkeys)],
          witnesses: known.length === 0 || isReplaced ? listed : known,
          heads: heads.slice(-MAX_HEADS),
          restores: head.voided.map(({ from, to }) => ({ from, to })),
        }
        if (!before && logs.length === 0)
          notes.push(`its key was taken from the registry itself; pin it: --vkey ${vkeys.join(' or ')}`)
        for (const vkey of known.filter((one) => !listed.includes(one)))
          notes.push(`the registry no longer names the witness ${vkey}`)
        return words
      },
    },
    async openCheckpoint(note, info) {
      trusted = logs.length > 0 ? [...logs] : await toKeys(before?.vkeys ?? info.vkeys)
      current = parseCheckpoint(`${note.split('\n\n')[0]}\n`)?.origin ?? ''
      if (before && logs.length === 0 && current && current !== before.origin)
        throw otherOrigin(before, current, info)
      const known = before?.witnesses.length ? before.witnesses : info.witnesses.map(({ vkey }) => vkey)
      const opened = policy
        ? await openCheckpoint(note, { ...policy, logs: trusted })
        : await openAsListed(note, trusted, known)
      if (opened.reason !== 'unsigned') return opened
      throw new CheckFailed(
        `the head is not signed by a trusted key of the log; the registry names ${info.vkeys.join(' and ')}: ask its operator before you trust that`,
      )
    },
    heads: () => (before?.origin === current ? before.heads : []),
    learn(moves) {
      // The last change of each key counts; changes within one batch have no order.
      const last = new Map(moves.map(({ vkey, state }) => [vkey, state]))
      const vkeys = new Set(after?.vkeys)
      for (const [vkey, move] of last) if (move === 'added') vkeys.add(vkey)
      for (const [vkey, move] of last) if (move === 'removed' && vkeys.size > 1) vkeys.delete(vkey)
      if (after) after.vkeys = [...vkeys]
    },
    state: () => after,
  }
}

/** @throws Inconclusive for a text that is not the verifier key of a log */
async function toKeys(vkeys: readonly string[]): Promise<VerifierKey[]> {
  const logs = (await parseKeys(vkeys)).filter(({ type }) => type === SIGNATURE_TYPES.note)
  if (logs.length === vkeys.length) return logs
  throw new Inconclusive(`not all of these are verifier keys of a log: ${vkeys.join(', ')}`)
}

function otherOrigin(before: LogState, origin: string, info: Head['info']): CheckFailed {
  const isNext = info.previous_origins.some((one) => one.origin === before.origin)
  return new CheckFailed(
    isNext
      ? `the log continues under a new origin: ${origin}. The previous one was ${before.origin}. Ask its operator for the reason, then continue with --vkey ${info.vkeys.join(' or ')}`
      : `the log is ${origin}, the state is of ${before.origin}, and the registry does not state that one continues the other: is it the state of another registry?`,
  )
}

/**
 * Verifies that a log begins with the last seen head: its own, or that of the log that it continues under a new origin.
 *
 * @throws CheckFailed if it does not: the log was rewritten, or shows different trees to different clients
 */
async function requireContinued(before: LogState, context: Context, head: Head): Promise<string> {
  const last = before.heads.at(-1) as SeenHead
  const { origin, size } = head.checkpoint
  const isSame = origin === before.origin
  const end = isSame ? size : await endOfPrevious(before, context, head)
  if (isSame && size < last.size)
    throw new CheckFailed(
      `the log has shrunk: ${last.size} leaves were signed on ${last.seen_at}, now ${size}; keep the state, which contains the signed head`,
    )
  if (
    last.size <= end &&
    !sameBytes(await head.tree.rootAt(last.size), decodeBase64(last.root) as Uint8Array)
  )
    throw new CheckFailed(
      `the log was rewritten: its first ${last.size} leaves are not those that were signed on ${last.seen_at}; keep the state, which contains the signed head`,
    )
  return isSame
    ? `the ${last.size} leaves seen on ${last.seen_at} are unchanged, ${size - last.size} more`
    : `it continues ${before.origin}, which ended before leaf ${end}`
}

/** @throws CheckFailed if a restore has dropped leaves without being known */
export function requireKnown(voided: readonly Voided[], known: readonly Voided[]): void {
  requireNone(
    voided
      .filter(({ from, to }) => !known.some((one) => one.from === from && one.to === to))
      .map(
        ({ from, to }) =>
          `a restore has declared leaves ${from} to ${to - 1} void: ask the operator of the registry for the reason, then accept it with --accept-restore ${from}-${to}`,
      ),
  )
}

/**
 * Verifies that one leaf of a log with a new origin contains the last signed head of the old log.
 *
 * @returns the index of this leaf: what is before it is the old log
 *
 * Source: docs/use/transparency.md, "What it contains"
 */
async function endOfPrevious(before: LogState, { notes }: Context, head: Head): Promise<number> {
  const { info, tree, checkpoint } = head
  const index = info.previous_origins.find((one) => one.origin === before.origin)?.index
  if (typeof index !== 'number' || index >= tree.size)
    throw new CheckFailed(`the log ${checkpoint.origin} does not state that it continues ${before.origin}`)
  const { value } = await leavesIn(head, { from: index, to: index + 1 }).next()
  const leaf = value?.leaf
  if (leaf) await tree.requireLeaf(index, leafBytes(leaf))
  if (leaf?.kind !== 'log' || leaf.previous === undefined)
    throw new CheckFailed(`leaf ${index} does not name ${before.origin} as the previous log`)
  const { checkpoint: old, reason } = await openCheckpoint(leaf.previous, {
    ...NO_WITNESSES,
    logs: await toKeys(before.vkeys),
  })
  if (!old) throw new CheckFailed(`the last head of ${before.origin} is not valid (${reason})`)
  const lost = Math.max(old.size, before.heads.at(-1)?.size ?? 0) - index
  if (lost > 0) notes.push(`LOST: leaves ${index} to ${index + lost - 1}, which ${before.origin} had signed`)
  return index
}
