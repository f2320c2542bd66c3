import { foldRight, HASH_BYTES, type Hash, hashNode, type Sha256, webSha256 } from './merkle.ts'

/** Hashes of a full tile, and leaves of a full bundle. */
export const TILE_WIDTH = 256
const HEIGHT = 8 // 2^8 = TILE_WIDTH
const MAX_LEVEL = 63
const LENGTH_BYTES = 2 // before each entry of a bundle
const TILE = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/)*)(\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

/** Neighbouring hashes of one level, or with level `entries` neighbouring leaves. */
export interface Tile {
  /** 0: hashes of leaves; each hash of a level above is the root of a full tile below. */
  level: number | 'entries'
  /** Of the tile in its level, from 0. */
  n: number
  /** Hashes or leaves in it, 1 to 256. */
  width: number
}

/** Reads tiles, side by side: of each its hashes one after the other, 32 bytes times its width. */
export type ReadTiles = (tiles: readonly Tile[]) => Promise<readonly Uint8Array<ArrayBuffer>[]>

/** The path of a tile below the prefix of a log: `tile/0/x001/234.p/112`. Source: tlog-tiles, Merkle Tree. */
export function tilePath({ level, n, width }: Tile): string {
  const digits = String(n)
  const place = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').replaceAll(/\d{3}(?=\d)/g, 'x$&/')
  return `tile/${level}/${place}${width < TILE_WIDTH ? `.p/${width}` : ''}`
}

/** The tile that a path names; null for any text that `tilePath` does not write. */
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
 * A tile as a tree of a size has it; null when nothing of it is in that tree.
 *
 * @param size leaves in the tree
 *
 * Source: tlog-tiles, Partial Tiles.
 */
export function tileOf(size: number, level: Tile['level'], n: number): Tile | null {
  const width = Math.min(
    TILE_WIDTH,
    Math.floor(size / TILE_WIDTH ** (level === 'entries' ? 0 : level)) - n * TILE_WIDTH,
  )
  return width > 0 ? { level, n, width } : null
}

/**
 * The root of a tree from its tiles.
 *
 * @param size leaves in the tree
 * @throws what `readTiles` throws; RangeError for a tile of another length, or a size that is none
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
 * The inclusion path of a leaf, from the tiles of a tree: the tiles are not trusted, so hold it against a root.
 *
 * @param index of the leaf, below `size`
 * @returns from the sibling of the leaf upwards
 * @throws what `readTiles` throws; RangeError for a tile of another length, or an index outside of the tree
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
 * The consistency path between two trees, from the tiles of the newer one.
 *
 * @param oldSize leaves in the older tree, 0 to `size`
 * @returns empty when one of them is empty or both are the same
 * @throws what `readTiles` throws; RangeError for a tile of another length, or an older tree that is larger
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

/** The entries of a bundle; null when their lengths do not add up to its own. Source: tlog-tiles, Log entries. */
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

/** A complete subtree: of 2^height leaves, the n-th of its height. */
interface Node {
  height: number
  n: number
}

/** The complete subtrees of the leaves [low, high), the largest first; `low` is where one as large as all begins. */
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
    return { level, n: Math.floor((n * count) / TILE_WIDTH), start: (n * count) % TILE_WIDTH, count }
  })
  const tiles = new Map<string, Tile>()
  for (const { level, n } of places) {
    const tile = tileOf(size, level, n)
    if (tile) tiles.set(`${level}/${n}`, tile)
  }
  const wanted = [...tiles.values()]
  const read = wanted.length > 0 ? await readTiles(wanted) : []
  const bytes = new Map([...tiles.keys()].map((key, at) => [key, requireLength(wanted[at], read[at])]))
  return Promise.all(
    places.map(({ level, n, start, count }) => {
      const tile = bytes.get(`${level}/${n}`)
      if (!tile) throw new RangeError('a subtree outside of the tree')
      return foldTile(tile.subarray(start * HASH_BYTES, (start + count) * HASH_BYTES), sha256)
    }),
  )
}

/** The root over hashes one after the other, as many as a power of 2. */
async function foldTile(hashes: Uint8Array<ArrayBuffer>, sha256: Sha256): Promise<Hash> {
  let level: Hash[] = []
  for (let at = 0; at < hashes.length; at += HASH_BYTES) level.push(hashes.subarray(at, at + HASH_BYTES))
  while (level.length > 1) {
    const pairs = level.flatMap((left, at) => {
      const right = level[at + 1]
      return at % 2 === 0 && right ? [hashNode(left, right, sha256)] : []
    })
    level = await Promise.all(pairs)
  }
  return hashes.length === HASH_BYTES ? hashes.slice() : (level[0] as Hash)
}

function requireLength(
  tile: Tile | undefined,
  bytes: Uint8Array<ArrayBuffer> | undefined,
): Uint8Array<ArrayBuffer> {
  if (tile && bytes?.length === tile.width * HASH_BYTES) return bytes
  throw new RangeError(`${tile ? tilePath(tile) : 'tile'}: must be ${(tile?.width ?? 0) * HASH_BYTES} bytes`)
}

function requireBelow(value: number, limit: number, name: string): void {
  if (Number.isSafeInteger(value) && value >= 0 && value < limit) return
  throw new RangeError(`${name}: must be a whole number from 0, below ${limit}`)
}
