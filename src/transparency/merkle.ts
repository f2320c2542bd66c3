import { isCount, joinBytes, sameBytes } from './bytes.ts'

export const HASH_BYTES = 32
export const MAX_PATH = 63 // tlog-witness, add-checkpoint

/** 32 bytes of SHA-256. */
export type Hash = Uint8Array<ArrayBuffer>

/** A SHA-256 implementation: Web Crypto, or `node:crypto`, which is faster where available. */
export type Sha256 = (bytes: Uint8Array<ArrayBuffer>) => Hash | Promise<Hash>

/** SHA-256 of Web Crypto. */
export const webSha256: Sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))

const LEAF = Uint8Array.of(0)
const NODE = Uint8Array.of(1)

/** The hash of a leaf. Source: RFC 6962, section 2.1. */
export async function hashLeaf(leaf: Uint8Array, sha256: Sha256 = webSha256): Promise<Hash> {
  return sha256(joinBytes(LEAF, leaf))
}

/** The hash of two adjacent subtrees. Source: RFC 6962, section 2.1. */
export async function hashNode(left: Hash, right: Hash, sha256: Sha256 = webSha256): Promise<Hash> {
  return sha256(joinBytes(NODE, left, right))
}

/**
 * The root over adjacent subtrees.
 *
 * @param subtrees the roots of the complete subtrees of a tree, the largest first; empty for the empty tree
 */
export async function foldRight(subtrees: readonly Hash[], sha256: Sha256): Promise<Hash> {
  let root = subtrees.at(-1)
  if (!root) return sha256(new Uint8Array(0))
  for (const left of subtrees.slice(0, -1).reverse()) root = await hashNode(left, root, sha256)
  return root
}

interface Inclusion {
  /** Index of the leaf, from 0. */
  index: number
  /** Number of leaves in the tree. */
  size: number
  leafHash: Hash
  /** From the sibling of the leaf upward. */
  path: readonly Hash[]
  root: Hash
}

/**
 * Verifies that a leaf is at an index of the tree with a root.
 *
 * @returns false also for an index outside the tree, and a path of wrong length
 *
 * Source: RFC 9162, section 2.1.3.2, for the tree of RFC 6962.
 */
export async function verifyInclusion(
  { index, size, leafHash, path, root }: Inclusion,
  sha256: Sha256 = webSha256,
): Promise<boolean> {
  if (!isCount(index) || !isCount(size) || index >= size || !areHashes([leafHash, root, ...path]))
    return false
  let [at, last, hash] = [index, size - 1, leafHash]
  for (const sibling of path) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      hash = await hashNode(sibling, hash, sha256)
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    } else {
      hash = await hashNode(hash, sibling, sha256)
    }
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && sameBytes(hash, root)
}

export interface Consistency {
  /** Number of leaves in the older tree. */
  oldSize: number
  oldRoot: Hash
  /** Number of leaves in the newer tree. */
  size: number
  root: Hash
  path: readonly Hash[]
}

/**
 * Verifies that a tree starts with all leaves of an older one, in the same order.
 *
 * @returns false also if the newer tree is smaller. The path must be empty for trees of the same size, and for an empty
 * older tree, whose root must be the hash of the empty string
 *
 * Source: RFC 9162, section 2.1.4.2, for the tree of RFC 6962; tlog-witness for the empty tree.
 */
export async function verifyConsistency(
  { oldSize, oldRoot, size, root, path }: Consistency,
  sha256: Sha256 = webSha256,
): Promise<boolean> {
  if (!isCount(oldSize) || !isCount(size) || oldSize > size || !areHashes([oldRoot, root, ...path]))
    return false
  if (oldSize === size)
    return path.length === 0 && sameBytes(oldRoot, root) && (await isRoot(size, root, sha256))
  if (oldSize === 0) return path.length === 0 && isRoot(0, oldRoot, sha256)
  let [at, last] = [oldSize - 1, size - 1]
  while (at % 2 === 1) [at, last] = [half(at), half(last)]
  // If the older tree is a complete subtree of the newer one, the path omits its root.
  const [first, ...rest] = at === 0 ? [oldRoot, ...path] : path
  if (!first) return false
  let [oldHash, hash] = [first, first]
  for (const sibling of rest) {
    if (last === 0) return false
    if (at % 2 === 1 || at === last) {
      oldHash = await hashNode(sibling, oldHash, sha256)
      hash = await hashNode(sibling, hash, sha256)
      while (at % 2 === 0 && at !== 0) [at, last] = [half(at), half(last)]
    } else {
      hash = await hashNode(hash, sibling, sha256)
    }
    ;[at, last] = [half(at), half(last)]
  }
  return last === 0 && sameBytes(oldHash, oldRoot) && sameBytes(hash, root)
}

/** Whether a tree of a size can have a root; the empty tree has only one possible root. */
async function isRoot(size: number, root: Hash, sha256: Sha256): Promise<boolean> {
  return size > 0 || sameBytes(root, await foldRight([], sha256))
}

/** Not a bit shift, which works only below 2^31. */
function half(value: number): number {
  return Math.floor(value / 2)
}

function areHashes(hashes: readonly Uint8Array[]): boolean {
  return hashes.length <= MAX_PATH + 2 && hashes.every((hash) => hash.length === HASH_BYTES)
}
