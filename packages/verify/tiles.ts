import { HASH_BYTES } from '../../src/transparency/merkle.ts'
import {
  parseBundle,
  type ReadTiles,
  TILE_WIDTH,
  type Tile,
  tileOf,
  tilePath,
} from '../../src/transparency/tiles.ts'

const TIMEOUT_MS = 10_000

/** Reads a log over HTTP. The data is not verified: compare it with the root of a checkpoint. */
export interface TileReader {
  /** For `inclusionPath`, `consistencyPath` and `rootFromTiles`. */
  readTiles: ReadTiles
  /**
   * The up to 256 leaves of bundle n, starting at index 256 n.
   *
   * @param size leaves in the tree of a verified checkpoint
   * @returns those that are in that tree; none past its end
   */
  readEntries(n: number, size: number): Promise<Uint8Array<ArrayBuffer>[]>
}

/**
 * Creates a reader of a log. Its methods reject with an Error that names the URL if no valid response arrives within 10
 * seconds.
 *
 * @param baseUrl the prefix of the log: `https://` and its origin, as `https://registry.example/log`
 * @param fetch replaces the global `fetch`
 *
 * Source: C2SP tlog-tiles.
 */
export function tileReader(
  baseUrl: string,
  fetch: (url: string, init: RequestInit) => Promise<Response> = (url, init) => globalThis.fetch(url, init),
): TileReader {
  const prefix = baseUrl.replace(/\/+$/, '')

  const readTile = async (tile: Tile): Promise<Uint8Array<ArrayBuffer>> => {
    const url = `${prefix}/${tilePath(tile)}`
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    // A log may delete a partial tile once the full one exists, which begins with the same hashes.
    if (response.status === 404 && tile.width < TILE_WIDTH) return readTile({ ...tile, width: TILE_WIDTH })
    if (!response.ok) throw new Error(`${url}: status ${response.status}`)
    return new Uint8Array(await response.arrayBuffer())
  }

  return {
    readTiles: (tiles) =>
      Promise.all(tiles.map(async (tile) => (await readTile(tile)).slice(0, tile.width * HASH_BYTES))),
    readEntries: async (n, size) => {
      const tile = tileOf(size, 'entries', n)
      if (!tile) return []
      const entries = parseBundle(await readTile(tile))
      if (entries && entries.length >= tile.width) return entries.slice(0, tile.width)
      throw new Error(`${prefix}/${tilePath(tile)}: must be a bundle of ${tile.width} entries`)
    },
  }
}
