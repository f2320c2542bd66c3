import {
  consistencyPath,
  openCheckpoint,
  type ProofRejection,
  type ReadTiles,
  type TrustedCheckpoint,
  verifyConsistency,
} from '../../packages/verify/index.ts'
import { CheckFailed, pluralize } from '../../packages/verify/problems.ts'
import { decodeBase64 } from '../../src/transparency/bytes.ts'
import { parseCheckpoint } from '../../src/transparency/checkpoint.ts'
import { PartFailed } from './findings.ts'
import type { State } from './state.ts'
import { nodeSha256 } from './tree.ts'
import type { Trusted } from './trust.ts'

/** Why a checkpoint or a proof is rejected. */
export const REJECTIONS: Record<ProofRejection, string> = {
  malformed: 'malformed',
  unknown_log: 'of another log than the pinned one',
  unsigned: 'not signed by a pinned key of the log',
  bad_signature: 'a signature does not verify',
  too_few_witnesses: 'not enough witnesses have cosigned it',
  no_leaf: 'contains no leaf',
  not_included: 'the leaf does not result in the signed root',
}

/**
 * Opens the newest head.
 *
 * @param published the keys that the service names, for the error if no trusted key has signed the head
 * @throws CheckFailed when the signatures are not sufficient, or it belongs to another log
 */
export async function openHead(
  note: string,
  { policy }: Trusted,
  published: readonly string[] = [],
): Promise<TrustedCheckpoint> {
  const opened = await openCheckpoint(note, policy)
  if (opened.reason === null) return opened.checkpoint
  if (opened.reason !== 'unknown_log') {
    const named = opened.reason === 'unsigned' && published.length > 0
    const hint = named
      ? `; the service names ${published.join(' and ')}: ask its operator before you trust that`
      : ''
    throw new PartFailed('checkpoint', REJECTIONS[opened.reason] + hint)
  }
  const origin = originOf(note)
  const known = policy.logs.map(({ name }) => name).join(' or ')
  throw new PartFailed('checkpoint', `the checkpoint is of the log ${origin}, not of ${known}`)
}

/** The origin that a checkpoint names, without checking its signatures; null if it is malformed. */
export function originOf(note: string): string | null {
  return parseCheckpoint(`${note.split('\n\n')[0]}\n`)?.origin ?? null
}

/** Describes a checkpoint: its origin, its size, and when witnesses signed it. */
export function describeHead(
  { origin, size, witnesses }: TrustedCheckpoint,
  { policy }: Trusted,
  now: Date,
): string {
  const seen = witnesses.map(({ name, time }) => `${name} ${ago(now.getTime() / 1000 - time)}`)
  const requested = pluralize(policy.witnesses.length, 'witness', 'witnesses')
  const by = policy.witnesses.length === 0 ? '' : `; cosigned by ${seen.length} of ${requested}`
  const which = seen.length === 0 ? '' : `: ${seen.join(', ')}`
  return `${origin} has signed ${pluralize(size, 'leaf', 'leaves')}${by}${which}`
}

/**
 * Verifies that a tree begins with the last seen one.
 *
 * @param readTiles of the newer tree
 * @throws CheckFailed when it does not: the log was rewritten, or shows different trees to different clients
 */
export async function requireConsistent(
  state: State,
  { size, root }: TrustedCheckpoint,
  readTiles: ReadTiles,
): Promise<string> {
  const last = state.heads.at(-1)
  const oldRoot = last && decodeBase64(last.root)
  if (!last || !oldRoot) throw new Error('the state file names a head without a root')
  if (size < last.size) {
    throw new CheckFailed(
      `the log has shrunk: ${last.size} leaves were signed on ${last.seen_at}, now ${size}; keep the state file, which contains the signed head`,
    )
  }
  const path = await consistencyPath(last.size, size, readTiles, nodeSha256)
  if (await verifyConsistency({ oldSize: last.size, oldRoot, size, root, path }, nodeSha256)) {
    return `the ${last.size} leaves seen on ${last.seen_at} are unchanged, ${size - last.size} more`
  }
  throw new CheckFailed(
    `the log was rewritten: its first ${last.size} leaves are not those that were signed on ${last.seen_at}; keep the state file, which contains the signed head`,
  )
}

function ago(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s ago`
  if (seconds < 5_400) return `${Math.round(seconds / 60)} minutes ago`
  return seconds < 172_800
    ? `${Math.round(seconds / 3_600)} hours ago`
    : `${Math.round(seconds / 86_400)} days ago`
}
