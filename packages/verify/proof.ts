import {
  type CheckpointRejection,
  openCheckpoint,
  type TrustedCheckpoint,
} from '../../src/transparency/checkpoint.ts'
import { type ReadLeaf, readLeaf } from '../../src/transparency/leaf.ts'
import { hashLeaf, verifyInclusion } from '../../src/transparency/merkle.ts'
import type { Policy } from '../../src/transparency/policy.ts'
import { parseProof } from '../../src/transparency/proof-text.ts'

/** Why a proof is invalid. */
export type ProofRejection =
  | CheckpointRejection
  | 'no_leaf' // the proof does not contain the leaf
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
 * @returns the bytes of the leaf, the leaf that they encode, and the checkpoint; or null and the reason
 *
 * Source: C2SP tlog-proof, Verifying a tlog proof.
 */
export async function verifyProof(proof: string, policy: Policy): Promise<VerifiedProof> {
  const parsed = parseProof(proof)
  if (!parsed) return reject('malformed')
  const { index, leaf: bytes, path } = parsed
  if (!bytes) return reject('no_leaf')
  const opened = await openCheckpoint(parsed.note, policy)
  if (opened.reason !== null) return reject(opened.reason)
  const { size, root } = opened.checkpoint
  const leafHash = await hashLeaf(bytes)
  if (!(await verifyInclusion({ index, size, leafHash, path, root }))) return reject('not_included')
  return { index, bytes, read: readLeaf(bytes), checkpoint: opened.checkpoint, reason: null }
}

function reject(reason: ProofRejection): VerifiedProof {
  return { index: null, bytes: null, read: null, checkpoint: null, reason }
}
