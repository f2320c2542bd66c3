import { decodeBase64, encodeBase64, isCount } from './bytes.ts'
import type { VerifierKey } from './keys.ts'
import { HASH_BYTES, type Hash } from './merkle.ts'
import { isLineOf, type Note, parseNote, verifyCosignature, verifyLine } from './note.ts'
import { hasQuorum, type Policy } from './policy.ts'

/** The head of a log. */
export interface Checkpoint {
  /** Identifies the log. */
  origin: string
  /** Number of leaves in its tree. */
  size: number
  /** Root hash of the tree, 32 bytes. */
  root: Hash
}

/** A checkpoint that a policy trusts. */
export interface TrustedCheckpoint extends Checkpoint {
  /** The signed text, with its last newline. */
  text: string
  /** The witnesses that cosigned it: their names in the policy, and the time of their last cosignature, Unix seconds. */
  witnesses: { name: string; time: number }[]
}

/** Why a checkpoint is not trusted. */
export type CheckpointRejection =
  | 'malformed' // not a checkpoint
  | 'unknown_log' // no log of the policy has this origin
  | 'unsigned' // no signature by a key of that log
  | 'bad_signature' // a signature by a known key, of the log or a witness, does not verify
  | 'too_few_witnesses' // the policy requires more cosignatures

interface Rejected {
  checkpoint: null
  reason: CheckpointRejection
}

export type OpenedCheckpoint = { checkpoint: TrustedCheckpoint; reason: null } | Rejected

/** A checkpoint that its log signed, with its note. */
type SignedCheckpoint = (Note & { checkpoint: Checkpoint; reason: null }) | Rejected

/** The text of a checkpoint to sign. Source: C2SP tlog-checkpoint, Note text. */
export function formatCheckpoint({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${encodeBase64(root)}\n`
}

/**
 * Parses the text of a checkpoint; extension lines are ignored.
 *
 * @param text of the note, with its last newline
 * @returns null if it is not a checkpoint, or its size is 2^53 or more
 *
 * Source: C2SP tlog-checkpoint, Note text.
 */
export function parseCheckpoint(text: string): Checkpoint | null {
  const [origin = '', size = '', hash = '', ...rest] = text.split('\n')
  const root = decodeBase64(hash)
  const isWhole = rest.pop() === '' && rest.every((line) => line !== '')
  const leaves = Number(size)
  if (!isWhole || origin === '' || !isCount(leaves) || String(leaves) !== size) return null
  return root?.length === HASH_BYTES ? { origin, size: leaves, root } : null
}

/**
 * Verifies that a checkpoint was signed by a log of the policy and cosigned by enough of its witnesses.
 *
 * Lines of unknown keys are ignored; one invalid line of a known key rejects the checkpoint.
 *
 * @param note the checkpoint as `/log/checkpoint` returns it
 * @returns the checkpoint, or null and the reason
 *
 * Source: C2SP signed-note, Signatures; tlog-checkpoint; tlog-cosignature; tlog-policy.
 */
export async function openCheckpoint(note: string, policy: Policy): Promise<OpenedCheckpoint> {
  const signed = await openSigned(note, policy.logs)
  if (signed.reason !== null) return signed
  const { checkpoint, text, signatures } = signed
  const witnesses: TrustedCheckpoint['witnesses'] = []
  for (const { name, key } of policy.witnesses) {
    const lines = signatures.filter((line) => isLineOf(line, key))
    const times = await Promise.all(lines.map((line) => verifyCosignature(text, line, key)))
    if (times.includes(null)) return reject('bad_signature')
    if (times.length > 0) witnesses.push({ name, time: Math.max(...times.map(Number)) })
  }
  if (!hasQuorum(policy, new Set(witnesses.map(({ name }) => name)))) return reject('too_few_witnesses')
  return { checkpoint: { ...checkpoint, text, witnesses }, reason: null }
}

/**
 * Verifies that a checkpoint is signed by a log; cosignatures are ignored.
 *
 * @param keys of logs; the name of each is the origin of its log
 * @returns the checkpoint with its note, or null and the reason
 *
 * Source: C2SP signed-note, Signatures; tlog-checkpoint.
 */
export async function openSigned(note: string, keys: readonly VerifierKey[]): Promise<SignedCheckpoint> {
  const parsed = parseNote(note)
  const checkpoint = parsed && parseCheckpoint(parsed.text)
  if (!checkpoint) return reject('malformed')
  const known = keys.filter(({ name }) => name === checkpoint.origin)
  if (known.length === 0) return reject('unknown_log')
  const verified = await Promise.all(
    parsed.signatures.flatMap((line) =>
      known.filter((key) => isLineOf(line, key)).map((key) => verifyLine(parsed.text, line, key)),
    ),
  )
  if (verified.includes(false)) return reject('bad_signature')
  return verified.length > 0 ? { ...parsed, checkpoint, reason: null } : reject('unsigned')
}

function reject(reason: CheckpointRejection): Rejected {
  return { checkpoint: null, reason }
}
