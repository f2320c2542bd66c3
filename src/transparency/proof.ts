import { decodeBase64, encodeBase64 } from './bytes.ts'
import { type CheckpointRefusal, openCheckpoint, type TrustedCheckpoint } from './checkpoint.ts'
import { type ReadLeaf, readLeaf } from './leaf.ts'
import { HASH_BYTES, type Hash, hashLeaf, verifyInclusion, webSha256 } from './merkle.ts'
import type { Policy } from './policy.ts'

const HEADER = 'c2sp.org/tlog-proof@v1'
const INDEX = /^index (0|[1-9]\d{0,15})$/
const EXTRA = 'extra '
const MAX_PATH = 63

/** That an entry stands in a log, in a form that needs nobody to verify it. */
export interface TlogProof {
  /** The bytes of the leaf; null when they are handed over by another way. */
  leaf: Uint8Array<ArrayBuffer> | null
  /** Of the leaf in the log, from 0. */
  index: number
  /** From the sibling of the leaf upwards. */
  path: Hash[]
  /** The checkpoint as it was signed, with its cosignatures. */
  note: string
}

/** Why a proof proves nothing. */
export type ProofRefusal =
  | CheckpointRefusal
  | 'no_leaf' // neither the proof nor the caller has the leaf
  | 'not_included' // the path does not lead from this leaf at this index to the root

export type VerifiedProof =
  | {
      index: number
      bytes: Uint8Array<ArrayBuffer>
      read: ReadLeaf
      checkpoint: TrustedCheckpoint
      reason: null
    }
  | { index: null; bytes: null; read: null; checkpoint: null; reason: ProofRefusal }

/** The text of a proof, to be kept as `….tlog-proof`. Source: C2SP tlog-proof, Format. */
export function formatProof({ leaf, index, path, note }: TlogProof): string {
  const extra = leaf ? [`${EXTRA}${encodeBase64(leaf)}`] : []
  return [HEADER, ...extra, `index ${index}`, ...path.map(encodeBase64), '', note].join('\n')
}

/** Reads a proof, and verifies nothing; null when it is none. Source: C2SP tlog-proof, Format. */
export function parseProof(text: string): TlogProof | null {
  const split = text.indexOf('\n\n')
  if (split < 0) return null
  const lines = text.slice(0, split).split('\n')
  if (lines.shift() !== HEADER) return null
  const extra = lines[0]?.startsWith(EXTRA) ? lines.shift() : undefined
  const leaf = extra === undefined ? null : decodeBase64(extra.slice(EXTRA.length))
  const index = Number(INDEX.exec(lines.shift() ?? '')?.[1] ?? Number.NaN)
  const path = lines.map(decodeBase64)
  if ((extra !== undefined && !leaf) || !Number.isSafeInteger(index) || path.length > MAX_PATH) return null
  const isPath = path.every((hash): hash is Hash => hash?.length === HASH_BYTES)
  return isPath ? { leaf, index, path: path as Hash[], note: text.slice(split + 2) } : null
}

/**
 * Verifies that an entry stands in a log that a policy trusts, without asking anybody.
 *
 * @param proof the text of a `.tlog-proof`, as `/log/proof/<index>` gives it
 * @param options `leaf`: the bytes of the leaf; left out, those that the proof carries
 * @returns the leaf's bytes, what they say, and the checkpoint; or null and the reason
 *
 * Source: C2SP tlog-proof, Verifying a tlog proof.
 */
export async function verifyProof(
  proof: string,
  policy: Policy,
  {
    leaf = null,
    sha256 = webSha256,
  }: { leaf?: Uint8Array<ArrayBuffer> | null; sha256?: typeof webSha256 } = {},
): Promise<VerifiedProof> {
  const parsed = parseProof(proof)
  if (!parsed) return refuse('malformed')
  const bytes = leaf ?? parsed.leaf
  if (!bytes) return refuse('no_leaf')
  const opened = await openCheckpoint(parsed.note, policy)
  if (opened.reason !== null) return refuse(opened.reason)
  const { index, path } = parsed
  const { size, root } = opened.checkpoint
  const leafHash = await hashLeaf(bytes, sha256)
  if (!(await verifyInclusion({ index, size, leafHash, path, root }, sha256))) return refuse('not_included')
  return { index, bytes, read: readLeaf(bytes), checkpoint: opened.checkpoint, reason: null }
}

function refuse(reason: ProofRefusal): VerifiedProof {
  return { index: null, bytes: null, read: null, checkpoint: null, reason }
}
