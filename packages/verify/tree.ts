import { joinBytes, sameBytes } from '../../src/transparency/bytes.ts'
import type { Checkpoint } from '../../src/transparency/checkpoint.ts'
import { HASH_BYTES, type Hash, hashLeaf, rootOf } from '../../src/transparency/merkle.ts'
import { type ReadTiles, TILE_WIDTH, type Tile } from '../../src/transparency/tiles.ts'
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
 * @param readTile returns the concatenated hashes of a tile
 * @throws CheckFailed if they do not
 *
 * Source: tlog-tiles; RFC 6962, section 2.1.
 */
export async function openTree(
  { size, root }: Pick<Checkpoint, 'size' | 'root'>,
  readTile: (tile: Tile) => Promise<ArrayBuffer>,
): Promise<Tree> {
  const cached = new Map<string, Promise<Hash[]>>()

  const read = (level: number, n: number): Promise<Hash[]> => {
    const key = `${level}/${n}`
    const known = cached.get(key) ?? verified(level, n)
    cached.set(key, known)
    return known
  }
  const verified = async (level: number, n: number): Promise<Hash[]> => {
    const width = Math.min(TILE_WIDTH, Math.floor(size / TILE_WIDTH ** level) - n * TILE_WIDTH)
    const bytes = new Uint8Array(await readTile({ level, n, width }))
    const hashes = Array.from({ length: width }, (_, at) =>
      bytes.slice(at * HASH_BYTES, (at + 1) * HASH_BYTES),
    )
    // A tile that is not full is on the right edge, which the root verifies.
    if (width === TILE_WIDTH) {
      const above = await read(level + 1, Math.floor(n / TILE_WIDTH))
      requireSame(await rootOf(hashes), above[n % TILE_WIDTH])
    }
    return hashes
  }
  const rootAt = async (earlier: number): Promise<Hash> => {
    let edge: Hash[] = []
    for (let [level, left] = [0, earlier]; left > 0; level++) {
      const width = left % TILE_WIDTH
      left = Math.floor(left / TILE_WIDTH)
      if (width > 0) edge = [await rootOf([...(await read(level, left)).slice(0, width), ...edge])]
    }
    return rootOf(edge)
  }

  requireSame(await rootAt(size), root)
  return {
    size,
    rootAt,
    requireLeaf: async (index, bytes) => {
      const hashes = await read(0, Math.floor(index / TILE_WIDTH))
      const leaf = await hashLeaf(bytes)
      requireSame(leaf, hashes[index % TILE_WIDTH], `leaf ${index} is a different one in the signed tree`)
    },
    readTiles: (tiles) =>
      Promise.all(
        tiles.map(async ({ level, n, width }) =>
          joinBytes(...(await read(Number(level), n)).slice(0, width)),
        ),
      ),
  }
}

function requireSame(
  one: Hash,
  other: Hash | undefined,
  problem = 'the tiles do not result in the signed root',
): void {
  if (!other || !sameBytes(one, other)) throw new CheckFailed(problem)
}
