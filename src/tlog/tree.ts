import type { Db } from '../db/client.ts'
import { HASH_BYTES } from '../transparency/merkle.ts'
import { type ReadTiles, TILE_WIDTH } from '../transparency/tiles.ts'
import { readTileRows } from './store.ts'

/**
 * Reads the tiles along the right edges of trees in one query: the roots of these trees, and consistency paths between
 * them, need no others.
 *
 * @param sizes number of leaves of each tree
 * @returns a reader that returns these tiles from memory
 */
export async function readEdges(db: Db, sizes: readonly number[]): Promise<ReadTiles> {
  const places = new Map<string, { level: number; n: number }>()
  for (const size of sizes) {
    for (let [level, hashes] = [0, size]; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH)) {
      const n = Math.floor(hashes / TILE_WIDTH)
      places.set(`${level}/${n}`, { level, n })
    }
  }
  const rows = await readTileRows(db, [...places.values()])
  const tiles = new Map(rows.map(({ level, n, hashes }) => [`${level}/${n}`, hashes]))
  return async (wanted) =>
    wanted.map(
      ({ level, n, width }) => tiles.get(`${level}/${n}`)?.slice(0, width * HASH_BYTES) ?? new Uint8Array(),
    )
}
