import { hash as digest } from 'node:crypto'
import { HASH_BYTES, type Hash } from '../../src/transparency/merkle.ts'
import { type ReadTiles, TILE_WIDTH, type Tile, tilePath } from '../../src/transparency/tiles.ts'

const BLANK = -1

/** SHA-256 of Node, which is ten times as fast as Web Crypto. */
export function nodeSha256(bytes: Uint8Array): Hash {
  return new Uint8Array(digest('sha256', bytes, 'buffer'))
}

/** The root over 2^height leaves of a tree, the n-th of its height. */
type NodeAt = (height: number, n: number) => Hash

/**
 * A tree whose leaf i is `leaf i`, or `-` where it is not special.
 *
 * @param hasSpecial whether there is a special leaf from an index up to another
 */
export function treeNodes(hasSpecial: (low: number, high: number) => boolean = () => true): NodeAt {
  const made: Map<number, Hash>[] = []
  const both = Uint8Array.of(1, ...new Uint8Array(2 * HASH_BYTES))
  const make = (height: number, n: number): Hash => {
    if (height === 0) return nodeSha256(Buffer.from(n === BLANK ? '\0-' : `\0leaf ${n}`))
    const [left, right] = n === BLANK ? [BLANK, BLANK] : [2 * n, 2 * n + 1]
    const hashes = [find(height - 1, left), find(height - 1, right)] as const
    both.set(hashes[0], 1)
    both.set(hashes[1], 1 + HASH_BYTES)
    return nodeSha256(both)
  }
  const find = (height: number, n: number): Hash => {
    const place = n !== BLANK && hasSpecial(n * 2 ** height, (n + 1) * 2 ** height) ? n : BLANK
    made[height] ??= new Map()
    const found = made[height].get(place) ?? make(height, place)
    made[height].set(place, found)
    return found
  }
  return find
}

/** The tiles of a tree. */
export function tilesOf(node: NodeAt): ReadTiles {
  const made = new Map<string, Uint8Array<ArrayBuffer>>()
  const make = ({ level, n, width }: Tile) => {
    const bytes = new Uint8Array(width * HASH_BYTES)
    for (let at = 0; at < width; at++) {
      bytes.set(node(8 * Number(level), n * TILE_WIDTH + at), at * HASH_BYTES)
    }
    return bytes
  }
  return async (tiles) =>
    tiles.map((tile) => {
      const path = tilePath(tile)
      const bytes = made.get(path) ?? make(tile)
      made.set(path, bytes)
      return bytes
    })
}
