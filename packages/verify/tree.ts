import { sameBytes } from '../../src/transparency/bytes.ts'
import type { Checkpoint } from '../../src/transparency/checkpoint.ts'
import { HASH_BYTES, type Hash, hashLeaf, webSha256 } from '../../src/transparency/merkle.ts'
import {
  foldTile,
  type ReadTiles,
  rootFromTiles,
  TILE_WIDTH,
  type Tile,
  tileOf,
} from '../../src/transparency/tiles.ts'
import { CheckFailed } from './problems.ts'

/** The tree of a signed head; everything read from it is verified against the signed root. */
export interface Tree {
  size: number
  /** The root of the tree at an earlier size. */
  rootAt(size: number): Promise<Hash>
  /**
   * Compares a leaf with the one in the tree.
   *
   * @throws CheckFailed if they differ
   */
  requireLeaf(index: number, bytes: Uint8Array): Promise<void>
  /** For `inclusionPath` with the size of the tree. */
  readTiles: ReadTiles
}

/**
 * Opens the tree of a signed head by its tiles: those of its right edge must result in the root, and each full tile in
 * the hash that the tile above it contains.
 *
 * @throws CheckFailed if they do not
 *
 * Source: tlog-tiles; RFC 6962, section 2.1.
 */
export async function openTree(
  { size, root }: Pick<Checkpoint, 'size' | 'root'>,
  readTiles: ReadTiles,
): Promise<Tree> {
  const cached = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()

  const read = (level: Tile['level'], n: number): Promise<Uint8Array<ArrayBuffer>> => {
    const key = `${level}/${n}`
    const known = cached.get(key) ?? verified(level, n)
    cached.set(key, known)
    return known
  }
  const verified = async (level: Tile['level'], n: number): Promise<Uint8Array<ArrayBuffer>> => {
    const tile = tileOf(size, level, n)
    const [hashes] = tile ? await readTiles([tile]) : []
    if (!tile || hashes?.length !== tile.width * HASH_BYTES)
      throw new CheckFailed(`tile ${n} of level ${level} does not have the hashes of the signed tree`)
    // A tile that is not full is on the right edge, which the root verifies.
    if (tile.width === TILE_WIDTH) {
      const above = await read(Number(level) + 1, Math.floor(n / TILE_WIDTH))
      requireSame(await foldTile(hashes, webSha256), hashAt(above, n))
    }
    return hashes
  }
  const readVerified: ReadTiles = (tiles) =>
    Promise.all(tiles.map(async ({ level, n, width }) => (await read(level, n)).slice(0, width * HASH_BYTES)))
  const rootAt = (earlier: number) => rootFromTiles(earlier, readVerified)

  requireSame(await rootAt(size), root)
  return {
    size,
    rootAt,
    requireLeaf: async (index, bytes) => {
      const hashes = await read(0, Math.floor(index / TILE_WIDTH))
      const problem = `leaf ${index} is a different one in the signed tree`
      requireSame(await hashLeaf(bytes), hashAt(hashes, index), problem)
    },
    readTiles: readVerified,
  }
}

/** The hash of a tile that a leaf, or a tile below, with this index has. */
function hashAt(hashes: Uint8Array<ArrayBuffer>, index: number): Hash {
  const start = (index % TILE_WIDTH) * HASH_BYTES
  return hashes.subarray(start, start + HASH_BYTES)
}

function requireSame(one: Hash, other: Hash, problem = 'the tiles do not result in the signed root'): void {
  if (!sameBytes(one, other)) throw new CheckFailed(problem)
}
