import { createHash } from 'node:crypto'
import {
  growingTree,
  type Hash,
  hashLeaf,
  type ReadTiles,
  rootFromTiles,
  type Sha256,
  type Tile,
  tileOf,
  tilePath,
} from '../../packages/verify/index.ts'
import { CheckFailed } from '../../packages/verify/problems.ts'
import { sameBytes } from '../../src/transparency/bytes.ts'
import { HASH_BYTES } from '../../src/transparency/merkle.ts'
import { TILE_WIDTH } from '../../src/transparency/tiles.ts'

/** SHA-256 of Node, which is several times faster here than that of Web Crypto. */
export const nodeSha256: Sha256 = (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest())

/** A tree whose hashes are used only after they were verified against a signed root. */
export interface VerifiedTree {
  size: number
  readTiles: ReadTiles
  /**
   * Verifies a whole bundle against the tree.
   *
   * @throws CheckFailed that names the first leaf that differs
   */
  requireBundle(n: number, entries: readonly Uint8Array[]): Promise<void>
}

/**
 * Reads the tree of a signed head from its tiles: the right edge is verified against the root, and each full tile
 * against the one above it.
 *
 * @throws CheckFailed when the tiles do not lead to the root
 */
export async function verifiedTree(size: number, root: Hash, readTiles: ReadTiles): Promise<VerifiedTree> {
  const kept = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()
  const read = async (tile: Tile) => {
    const [bytes] = await readTiles([tile])
    if (bytes?.length === tile.width * HASH_BYTES) return bytes
    throw new CheckFailed(`${tilePath(tile)} is not ${tile.width} hashes long`)
  }
  /** Full tiles of the lowest level are read only once, so they are not cached; all others are. */
  const readKept = (tile: Tile) => {
    const path = tilePath(tile)
    const known = kept.get(path) ?? read(tile)
    if (tile.level !== 0 || tile.width < TILE_WIDTH) kept.set(path, known)
    return known
  }
  const readAll: ReadTiles = (tiles) => Promise.all(tiles.map(readKept))
  if (!sameBytes(await rootFromTiles(size, readAll, nodeSha256), root)) {
    throw new CheckFailed('the tiles do not result in the signed root')
  }
  const checked = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

  const verified = (level: number, n: number): Promise<Uint8Array<ArrayBuffer>> => {
    const tile = tileOf(size, level, n)
    if (!tile) throw new RangeError('a tile outside of the tree')
    if (tile.width < TILE_WIDTH) return readKept(tile) // part of the right edge, which is already verified
    const known = checked.get(tilePath(tile)) ?? verifyFull(tile, level, n)
    if (level > 0) checked.set(tilePath(tile), known)
    return known
  }
  const verifyFull = async (tile: Tile, level: number, n: number) => {
    const bytes = await readKept(tile)
    const above = await verified(level + 1, Math.floor(n / TILE_WIDTH))
    const at = (n % TILE_WIDTH) * HASH_BYTES
    if (sameBytes(await foldTile(bytes), above.subarray(at, at + HASH_BYTES))) return bytes
    throw new CheckFailed(`${tilePath(tile)} does not result in the signed root`)
  }
  return {
    size,
    readTiles: readAll,
    requireBundle: async (n, entries) => {
      const hashes = await verified(0, n)
      for (const [at, entry] of entries.entries()) {
        const hash = hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)
        if (sameBytes(await hashLeaf(entry, nodeSha256), hash)) continue
        throw new CheckFailed(`leaf ${n * TILE_WIDTH + at} is not the one that the signed tree has`)
      }
    },
  }
}

async function foldTile(hashes: Uint8Array<ArrayBuffer>): Promise<Hash> {
  const tree = growingTree(nodeSha256)
  for (let at = 0; at < hashes.length; at += HASH_BYTES) await tree.append(hashes.slice(at, at + HASH_BYTES))
  return tree.root()
}
