import { sameBytes } from '../../src/transparency/bytes.ts'
import type { Checkpoint } from '../../src/transparency/checkpoint.ts'
import { HASH_BYTES, hashLeaf, verifyInclusion } from '../../src/transparency/merkle.ts'
import {
  inclusionPath,
  type ReadTiles,
  rootFromTiles,
  TILE_WIDTH,
  type Tile,
  tileOf,
  tilePath,
} from '../../src/transparency/tiles.ts'
import { DoesNotHold } from './problems.ts'

/** The tree of a signed head. */
export interface Tree {
  size: number
  /** Hashes of the tree, each kept. */
  readTiles: ReadTiles
  /**
   * Holds a leaf against its place in the tree.
   *
   * @throws DoesNotHold when another leaf stands there
   */
  requireLeaf(index: number, bytes: Uint8Array): Promise<void>
}

/**
 * Reads the tree of a head by its tiles, and believes them only as far as they lead to the root.
 *
 * @throws DoesNotHold when they do not
 */
export async function treeOf(
  { size, root }: Pick<Checkpoint, 'size' | 'root'>,
  readTiles: ReadTiles,
): Promise<Tree> {
  const kept = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()
  const read = async (tile: Tile) => (await readTiles([tile]))[0] ?? new Uint8Array(0)
  const readKept: ReadTiles = (tiles) =>
    Promise.all(
      tiles.map((tile) => {
        const path = tilePath(tile)
        const bytes = kept.get(path) ?? read(tile)
        kept.set(path, bytes)
        return bytes
      }),
    )
  if (!sameBytes(await rootFromTiles(size, readKept), root))
    throw new DoesNotHold('the tiles do not lead to the signed root')

  const hashesOf = async (n: number): Promise<Uint8Array<ArrayBuffer>> => {
    const tile = tileOf(size, 0, n)
    const [hashes] = tile ? await readKept([tile]) : []
    if (!hashes) throw new RangeError('a leaf outside of the tree')
    // Its path is made of all other hashes of the tile: with the first of them, all are those of the tree.
    const [index, leafHash] = [n * TILE_WIDTH, hashes.slice(0, HASH_BYTES)]
    const path = await inclusionPath(index, size, readKept)
    if (await verifyInclusion({ index, size, leafHash, path, root })) return hashes
    throw new DoesNotHold(`tile ${n} does not lead to the signed root`)
  }
  const verified = new Map<number, ReturnType<typeof hashesOf>>()
  return {
    size,
    readTiles: readKept,
    requireLeaf: async (index, bytes) => {
      const n = Math.floor(index / TILE_WIDTH)
      const hashes = verified.get(n) ?? hashesOf(n)
      verified.set(n, hashes)
      const at = (index % TILE_WIDTH) * HASH_BYTES
      if (sameBytes(await hashLeaf(bytes), (await hashes).subarray(at, at + HASH_BYTES))) return
      throw new DoesNotHold(`leaf ${index} is another one in the signed tree`)
    },
  }
}
