import { createHash } from 'node:crypto'

/** The size and root hash of a tree. */
export interface Head {
  size: bigint
  root: Buffer
}

/**
 * Verifies a consistency proof: that a tree begins with all leaves of an older one.
 *
 * @param path from the older to the newer tree; empty if both are equal or the older one has no leaves
 *
 * Source: RFC 9162, section 2.1.4.2, for the tree of RFC 6962; tlog-witness for the empty tree
 */
export function isConsistent(old: Head, now: Head, path: readonly Buffer[]): boolean {
  if (now.size === 0n && !now.root.equals(hash())) return false
  if (old.size === now.size) return path.length === 0 && old.root.equals(now.root)
  if (old.size === 0n) return path.length === 0
  let [at, last] = [old.size - 1n, now.size - 1n]
  while (at % 2n === 1n) [at, last] = [at / 2n, last / 2n]
  const [first, ...rest] = at === 0n ? [old.root, ...path] : path
  if (!first) return false
  let [before, after] = [first, first]
  for (const sibling of rest) {
    if (last === 0n) return false
    if (at % 2n === 1n || at === last) {
      before = hash(1, sibling, before)
      after = hash(1, sibling, after)
      while (at % 2n === 0n && at !== 0n) [at, last] = [at / 2n, last / 2n]
    } else {
      after = hash(1, after, sibling)
    }
    ;[at, last] = [at / 2n, last / 2n]
  }
  return last === 0n && before.equals(old.root) && after.equals(now.root)
}

function hash(prefix?: number, ...parts: Buffer[]): Buffer {
  const sum = createHash('sha256')
  if (prefix !== undefined) sum.update(Buffer.of(prefix))
  for (const part of parts) sum.update(part)
  return sum.digest()
}
