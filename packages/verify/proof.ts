import {
  type CheckpointRejection,
  openCheckpoint,
  type TrustedCheckpoint,
} from '../../src/transparency/checkpoint.ts'
import { type ReadLeaf, readLeaf } from '../../src/transparency/leaf.ts'
import { hashLeaf, verifyInclusion, webSha256 } from '../../src/transparency/merkle.ts'
import type { Policy } from '../../src/transparency/policy.ts'
import { parseProof } from '../../src/transparency/proof-text.ts'

/** Why a proof is invalid. */
export type ProofRejection =
  | CheckpointRejection
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
  | { index: null; bytes: null; read: null; checkpoint: null; reason: ProofRejection }

/**
 * Verifies offline that a leaf is in a log that a policy trusts.
 *
 * @param proof the content of a `.tlog-proof` file, as `/log/proof/<index>` returns it
 * @param options `leaf`: the bytes of the leaf; if omitted, those in the proof
 * @returns the bytes of the leaf, the leaf that they encode, and the checkpoint; or null and the reason
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
  if (!parsed) return reject('malformed')
  const bytes = leaf ?? parsed.leaf
  if (!bytes) return reject('no_leaf')
  const opened = await openCheckpoint(parsed.note, policy)
  if (opened.reason !== null) return reject(opened.reason)
  const { index, path } = parsed
  const { size, root } = opened.checkpoint
  const leafHash = await hashLeaf(bytes, sha256)
  if (!(await verifyInclusion({ index, size, leafHash, path, root }, sha256))) return reject('not_included')
  return { index, bytes, read: readLeaf(bytes), checkpoint: opened.checkpoint, reason: null }
}

function reject(reason: ProofRejection): VerifiedProof {
  return { index: null, bytes: null, read: null, checkpoint: null, reason }
}
