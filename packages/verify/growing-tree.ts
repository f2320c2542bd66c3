import { foldRight, type Hash, hashNode, type Sha256, webSha256 } from '../../src/transparency/merkle.ts'

/** A tree that grows by one leaf at a time and stores at most one hash per level. */
export interface GrowingTree {
  /** Appends the hash of the next leaf; one call at a time. */
  append(leafHash: Hash): Promise<void>
  size(): number
  /** The roots of its complete subtrees, the largest first. */
  subtrees(): readonly Hash[]
  root(): Promise<Hash>
}

/**
 * A tree to which leaves are appended.
 *
 * @param start its size, and the roots of its complete subtrees, the largest first; empty by default
 *
 * Source: RFC 6962, section 2.1.
 */
export function growingTree(
  sha256: Sha256 = webSha256,
  start: { size: number; subtrees: readonly Hash[] } = { size: 0, subtrees: [] },
): GrowingTree {
  const subtrees = [...start.subtrees]
  let { size } = start
  return {
    async append(leafHash) {
      let hash = leafHash
      for (let rest = size; rest % 2 === 1; rest = Math.floor(rest / 2)) {
        hash = await hashNode(subtrees.pop() as Hash, hash, sha256)
      }
      subtrees.push(hash)
      size += 1
    },
    size: () => size,
    subtrees: () => subtrees,
    root: () => foldRight(subtrees, sha256),
  }
}
