import { foldRight, HASH_BYTES, type Hash, hashNode, type Sha256, webSha256 } from './merkle.ts'

/** Number of hashes in a full tile, and of leaves in a full bundle. */
export const TILE_WIDTH = 256
const HEIGHT = 8 // 2^8 = TILE_WIDTH
const MAX_LEVEL = 63
const LENGTH_BYTES = 2 // before each entry of a bundle
const TILE = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/)*)(\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

/** Adjacent hashes of one level, or with level `entries` a bundle of adjacent leaves. */
export interface Tile {
  /** 0 for hashes of leaves; each hash of a higher level is the root of a full tile of the level below. */
  level: number | 'entries'
  /** Index of the tile in its level, from 0. */
  n: number
  /** Number of hashes or leaves in it, 1 to 256. */
  width: number
}

/** Reads tiles: returns the concatenated hashes of each tile, 32 bytes times its width. */
export type ReadTiles = (tiles: readonly Tile[]) => Promise<readonly Uint8Array<ArrayBuffer>[]>

/** The path of a tile below the prefix of a log: `tile/0/x001/234.p/112`. Source: tlog-tiles, Merkle Tree. */
export function tilePath({ level, n, width }: Tile): string {
  const digits = String(n)
  const place = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').replaceAll(/\d{3}(?=\d)/g, 'x$&/')
  return `tile/${level}/${place}${width < TILE_WIDTH ? `.p/${width}` : ''}`
}

/** Parses the path of a tile; null for any text that `tilePath` does not write. */
export function parseTilePath(path: string): Tile | null {
  const [, level = '', high = '', low = '', width = String(TILE_WIDTH)] = TILE.exec(path) ?? []
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    n: Number(high.replaceAll(/[x/]/g, '') + low),
    width: Number(width),
  }
  const isTile = tile.level === 'entries' || tile.level <= MAX_LEVEL
  return isTile && Number.isSafeInteger(tile.n) && tilePath(tile) === path ? tile : null
}

/**
 * A tile with its width in a tree of a size; null if the tree does not have it.
 *
 * @param size number of leaves in the tree
 *
 * Source: tlog-tiles, Partial Tiles.
 */
export function tileOf(size: number, level: Tile['level'], n: number): Tile | null {
  const width = widthOf(size, level === 'entries' ? 0 : level, n)
  return width > 0 ? { level, n, width } : null
}

function widthOf(size: number, level: number, n: number): number {
  return Math.min(TILE_WIDTH, Math.floor(size / TILE_WIDTH ** level) - n * TILE_WIDTH)
}

/**
 * Computes the root of a tree from its tiles.
 *
 * @param size number of leaves in the tree
 * @throws what `readTiles` throws; RangeError for a tile of wrong length, or an invalid size
 *
 * Source: RFC 6962, section 2.1; tlog-tiles.
 */
export async function rootFromTiles(
  size: number,
  readTiles: ReadTiles,
  sha256: Sha256 = webSha256,
): Promise<Hash> {
  requireBelow(size, Number.MAX_SAFE_INTEGER + 1, 'size')
  return foldRight(await readNodes(size, completeNodes(0, size), readTiles, sha256), sha256)
}

/**
 * Computes the inclusion path of a leaf from the tiles of a tree. The tiles are not trusted: verify it with a root.
 *
 * @param index of the leaf, below `size`
 * @returns from the sibling of the leaf upward
 * @throws what `readTiles` throws; RangeError for a tile of wrong length, or an index outside the tree
 *
 * Source: RFC 6962, section 2.1.1.
 */
export async function inclusionPath(
  index: number,
  size: number,
  readTiles: ReadTiles,
  sha256: Sha256 = webSha256,
): Promise<Hash[]> {
  requireBelow(size, Number.MAX_SAFE_INTEGER + 1, 'size')
  requireBelow(index, size, 'index')
  let [low, high] = [0, size]
  const siblings: Node[][] = []
  while (high - low > 1) {
    const middle = low + largestPowerBelow(high - low)
    const isLeft = index < middle
    siblings.unshift(isLeft ? completeNodes(middle, high) : completeNodes(low, middle))
    ;[low, high] = isLeft ? [low, middle] : [middle, high]
  }
  return readRoots(size, siblings, readTiles, sha256)
}

/**
 * Computes the consistency path between two trees from the tiles of the newer one.
 *
 * @param oldSize number of leaves in the older tree, 0 to `size`
 * @returns empty if the older tree is empty or both are the same
 * @throws what `readTiles` throws; RangeError for a tile of wrong length, or an older tree that is larger
 *
 * Source: RFC 6962, section 2.1.2.
 */
export async function consistencyPath(
  oldSize: number,
  size: number,
  readTiles: ReadTiles,
  sha256: Sha256 = webSha256,
): Promise<Hash[]> {
  requireBelow(size, Number.MAX_SAFE_INTEGER + 1, 'size')
  requireBelow(oldSize, size + 1, 'oldSize')
  if (oldSize === 0 || oldSize === size) return []
  let [low, high] = [0, size]
  const nodes: Node[][] = []
  while (oldSize !== high) {
    const middle = low + largestPowerBelow(high - low)
    const isLeft = oldSize <= middle
    nodes.unshift(isLeft ? completeNodes(middle, high) : completeNodes(low, middle))
    ;[low, high] = isLeft ? [low, middle] : [middle, high]
  }
  if (low > 0) nodes.unshift(completeNodes(low, high))
  return readRoots(size, nodes, readTiles, sha256)
}

/** Parses the entries of a bundle; null if their lengths do not match its length. Source: tlog-tiles, Log entries. */
export function parseBundle(bundle: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] | null {
  const entries: Uint8Array<ArrayBuffer>[] = []
  for (let at = 0; at < bundle.length; ) {
    const [high, low] = bundle.subarray(at, at + LENGTH_BYTES)
    if (high === undefined || low === undefined) return null
    const start = at + LENGTH_BYTES
    at = start + high * 256 + low
    if (at > bundle.length) return null
    entries.push(bundle.subarray(start, at))
  }
  return entries
}

/** A complete subtree with 2^height leaves: the n-th of its height, from 0. */
interface Node {
  height: number
  n: number
}

/** The complete subtrees of the leaves [low, high), the largest first. `low` must be aligned to the largest one. */
function completeNodes(low: number, high: number): Node[] {
  const nodes: Node[] = []
  for (let at = low; at < high; ) {
    let [height, leaves] = [0, 1]
    while (leaves * 2 <= high - at) [height, leaves] = [height + 1, leaves * 2]
    nodes.push({ height, n: at / leaves })
    at += leaves
  }
  return nodes
}

function largestPowerBelow(count: number): number {
  let power = 1
  while (power * 2 < count) power *= 2
  return power
}

async function readRoots(
  size: number,
  groups: Node[][],
  readTiles: ReadTiles,
  sha256: Sha256,
): Promise<Hash[]> {
  const hashes = await readNodes(size, groups.flat(), readTiles, sha256)
  let at = 0
  const roots: Hash[] = []
  for (const { length } of groups) {
    roots.push(await foldRight(hashes.slice(at, at + length), sha256))
    at += length
  }
  return roots
}

/** The hashes of complete subtrees of a tree; each tile is read once. */
async function readNodes(
  size: number,
  nodes: readonly Node[],
  readTiles: ReadTiles,
  sha256: Sha256,
): Promise<Hash[]> {
  const places = nodes.map(({ height, n }) => {
    const level = Math.floor(height / HEIGHT)
    const count = 2 ** (height % HEIGHT)
    const place = Math.floor((n * count) / TILE_WIDTH)
    const tile: Tile = { level, n: place, width: widthOf(size, level, place) }
    return { tile, path: tilePath(tile), start: (n * count) % TILE_WIDTH, count }
  })
  const wanted = new Map(places.map(({ path, tile }) => [path, tile]))
  const read = wanted.size > 0 ? await readTiles([...wanted.values()]) : []
  const bytes = new Map([...wanted.keys()].map((path, at) => [path, read[at]]))
  return Promise.all(
    places.map(({ tile, path, start, count }) => {
      const hashes = bytes.get(path)
      if (hashes?.length !== tile.width * HASH_BYTES)
        throw new RangeError(`${path}: must be ${tile.width * HASH_BYTES} bytes`)
      return foldTile(hashes.subarray(start * HASH_BYTES, (start + count) * HASH_BYTES), sha256)
    }),
  )
}

/** The root over concatenated hashes, whose number is a power of 2. */
export async function foldTile(hashes: Uint8Array<ArrayBuffer>, sha256: Sha256): Promise<Hash> {
  if (hashes.length <= HASH_BYTES) return hashes.slice()
  const half = hashes.length / 2
  const [left, right] = await Promise.all([
    foldTile(hashes.subarray(0, half), sha256),
    foldTile(hashes.subarray(half), sha256),
  ])
  return hashNode(left, right, sha256)
}

function requireBelow(value: number, limit: number, name: string): void {
  if (Number.isSafeInteger(value) && value >= 0 && value < limit) return
  throw new RangeError(`${name}: must be a whole number from 0, below ${limit}`)
}
