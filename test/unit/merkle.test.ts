import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { growingTree } from '../../packages/verify/growing-tree.ts'
import { encodeBase64 } from '../../src/transparency/bytes.ts'
import { type Hash, hashLeaf, verifyConsistency, verifyInclusion } from '../../src/transparency/merkle.ts'
import {
  consistencyPath,
  inclusionPath,
  parseBundle,
  parseTilePath,
  rootFromTiles,
  tileOf,
  tilePath,
} from '../../src/transparency/tiles.ts'
import { nodeSha256, tilesOf, treeNodes } from '../support/trees.ts'
import vectors from '../vectors/tlog.json' with { type: 'json' }

const { trees, sparse, tiles } = vectors
const roots: Record<string, string> = trees.roots
const sizes = Object.keys(roots).map(Number)
const node = treeNodes()
const readTiles = tilesOf(node)

const fromText = (text: string): Hash => new Uint8Array(Buffer.from(text, 'base64'))
const fromPath = (path: string) => (path === '' ? [] : path.split(' ').map(fromText))
const toPath = (path: readonly Hash[]) => path.map(encodeBase64).join(' ')
const rootOf = (size: number) => fromText(roots[size] ?? '')
const flipped = (hash: Hash) => hash.with(31, (hash[31] ?? 0) ^ 1)

describe('the roots that Go computed', () => {
  it('equal those of a tree that grows leaf by leaf', async () => {
    const tree = growingTree(nodeSha256)
    for (let size = 0; size <= 300; size++) {
      if (roots[size]) expect([size, encodeBase64(await tree.root())]).toEqual([size, roots[size]])
      await tree.append(node(0, size))
    }
  })

  it.each(sizes)('equal those computed from tiles: %i leaves', async (size) => {
    expect(encodeBase64(await rootFromTiles(size, readTiles, nodeSha256))).toBe(roots[size])
  })

  it('equal those that Web Crypto computes', async () => {
    expect(await hashLeaf(new TextEncoder().encode('leaf 0'))).toEqual(node(0, 0))
    expect(encodeBase64(await rootFromTiles(300, readTiles))).toBe(roots[300])
    expect(encodeBase64(await growingTree().root())).toBe(roots[0])
  })
})

describe('the paths that Go computed', () => {
  it.each(Object.entries(trees.all_paths))('equal all paths from tiles: %s leaves', async (text, digest) => {
    const size = Number(text)
    const sum = createHash('sha256')
    for (let index = 0; index < size; index++) {
      for (const hash of await inclusionPath(index, size, readTiles, nodeSha256)) sum.update(hash)
    }
    for (let old = 1; old < size; old++) {
      for (const hash of await consistencyPath(old, size, readTiles, nodeSha256)) sum.update(hash)
    }
    expect(sum.digest('base64')).toBe(digest)
  })

  it.each(trees.inclusions)('include leaf $index of $size', async ({ index, size, path }) => {
    expect(toPath(await inclusionPath(index, size, readTiles, nodeSha256))).toBe(path)
    const inclusion = { index, size, leafHash: node(0, index), path: fromPath(path), root: rootOf(size) }
    expect(await verifyInclusion(inclusion, nodeSha256)).toBe(true)
  })

  it.each(trees.consistencies)('lead from $old leaves to $size', async ({ old: oldSize, size, path }) => {
    expect(toPath(await consistencyPath(oldSize, size, readTiles, nodeSha256))).toBe(path)
    const oldRoot = await rootFromTiles(oldSize, readTiles, nodeSha256)
    const consistency = { oldSize, oldRoot, size, root: rootOf(size), path: fromPath(path) }
    expect(await verifyConsistency(consistency, nodeSha256)).toBe(true)
  })

  it.each(sparse)('verify, for a tree of $size leaves', async ({ size, special, root, ...paths }) => {
    const of = treeNodes((low, high) => special.some((index) => index >= low && index < high))
    const read = tilesOf(of)
    expect(encodeBase64(await rootFromTiles(size, read, nodeSha256))).toBe(root)
    for (const { index, path } of paths.inclusions) {
      expect(toPath(await inclusionPath(index, size, read, nodeSha256))).toBe(path)
      const inclusion = {
        index,
        size,
        leafHash: of(0, index),
        path: fromPath(path),
        root: fromText(root),
      }
      expect(await verifyInclusion(inclusion, nodeSha256)).toBe(true)
      expect(await verifyInclusion({ ...inclusion, index: size - 2 - index }, nodeSha256)).toBe(false)
    }
    for (const { old: oldSize, root: oldRoot, path } of paths.consistencies) {
      expect(toPath(await consistencyPath(oldSize, size, read, nodeSha256))).toBe(path)
      const consistency = {
        oldSize,
        oldRoot: fromText(oldRoot),
        size,
        root: fromText(root),
        path: fromPath(path),
      }
      expect(await verifyConsistency(consistency, nodeSha256)).toBe(true)
      expect(await verifyConsistency({ ...consistency, oldSize: oldSize + 1 }, nodeSha256)).toBe(false)
    }
  })
})

describe('a changed path', () => {
  it('does not verify as an inclusion proof', async () => {
    for (const { index, size, path } of trees.inclusions) {
      const leafHash = node(0, index)
      const given = { index, size, leafHash, path: fromPath(path), root: rootOf(size) }
      const { path: hashes } = given
      const changed = [
        ...hashes.map((hash, at) => ({ path: hashes.with(at, flipped(hash)) })),
        { path: [...hashes, leafHash] },
        { path: [leafHash, ...hashes] },
        ...(hashes.length > 0 ? [{ path: hashes.slice(1) }, { path: hashes.slice(0, -1) }] : []),
        ...(hashes.length > 1 ? [{ path: hashes.toReversed() }] : []),
        { leafHash: flipped(leafHash) },
        { root: flipped(given.root) },
        { index: size },
        { index: -1 },
        { index: index + 0.5 },
        { size: 0 },
        { size: 2 * size + 1 },
        { size: 2 ** 53 },
        { path: [...hashes.slice(0, -1), new Uint8Array(31)] },
        { root: new Uint8Array(0) },
      ]
      for (const change of changed)
        expect(await verifyInclusion({ ...given, ...change }, nodeSha256)).toBe(false)
    }
  })

  it('does not verify as a consistency proof', async () => {
    for (const { old: oldSize, size, path } of trees.consistencies) {
      const oldRoot = await rootFromTiles(oldSize, readTiles, nodeSha256)
      const given = { oldSize, oldRoot, size, root: rootOf(size), path: fromPath(path) }
      const { path: hashes } = given
      const changed = [
        ...hashes.map((hash, at) => ({ path: hashes.with(at, flipped(hash)) })),
        { path: [...hashes, oldRoot] },
        { path: [oldRoot, ...hashes] },
        { path: hashes.slice(1) },
        { path: hashes.slice(0, -1) },
        { path: [] },
        { oldRoot: flipped(oldRoot) },
        { root: flipped(given.root) },
        { oldSize: size, size: oldSize },
        { oldSize: 0 },
        { oldSize: -1 },
        { size: 2 * size + 1 },
        { oldSize: Number.NaN },
      ]
      for (const change of changed)
        expect(await verifyConsistency({ ...given, ...change }, nodeSha256)).toBe(false)
    }
  })

  it('must be empty from the empty tree and to the same tree', async () => {
    const [empty, root] = [rootOf(0), rootOf(300)]
    expect(await consistencyPath(0, 300, readTiles)).toEqual([])
    expect(await consistencyPath(300, 300, readTiles)).toEqual([])
    const verify = (oldSize: number, oldRoot: Hash, size: number, newRoot: Hash, path: Hash[] = []) =>
      verifyConsistency({ oldSize, oldRoot, size, root: newRoot, path })
    expect(await verify(0, empty, 300, root)).toBe(true)
    expect(await verify(0, empty, 0, empty)).toBe(true)
    expect(await verify(300, root, 300, root)).toBe(true)
    expect(await verify(0, root, 300, root)).toBe(false)
    expect(await verify(0, empty, 300, root, [root])).toBe(false)
    expect(await verify(0, root, 0, root)).toBe(false)
    expect(await verify(300, root, 300, rootOf(257))).toBe(false)
    expect(await verify(300, root, 300, root, [root])).toBe(false)
  })
})

describe('tiles', () => {
  it('have the paths and the bytes that Go computed', async () => {
    for (const { path, sha256, ...tile } of tiles) {
      const level = tile.level < 0 ? 'entries' : tile.level
      expect(tilePath({ ...tile, level })).toBe(path)
      expect(parseTilePath(path)).toEqual({ ...tile, level })
      if (sha256 === undefined || level === 'entries') continue
      expect(tileOf(65_793, level, tile.n)).toEqual({ ...tile, level })
      const [bytes] = await readTiles([{ ...tile, level }])
      expect(
        createHash('sha256')
          .update(bytes ?? '')
          .digest('base64'),
      ).toBe(sha256)
    }
  })

  it.each([
    'tile/0/0',
    'tile/0/x000/001',
    'tile/0/x1/001',
    'tile/64/001',
    'tile/data/001',
    'tile/0/001.p/0',
    'tile/0/001.p/01',
    'tile/0/001.p/256',
    'tile/0/x999/x999/x999/x999/x999/999',
    '/tile/0/001',
    'tile/0/001\n',
  ])('cannot have the path %j', (path) => {
    expect(parseTilePath(path)).toBeNull()
  })

  it('have the width that the tree fills', () => {
    const widths = (size: number) => [0, 1, 2].map((level) => tileOf(size, level, 0)?.width)
    expect(widths(70_000)).toEqual([256, 256, 1])
    expect(tileOf(70_000, 0, 273)).toEqual({ level: 0, n: 273, width: 112 })
    expect(tileOf(70_000, 'entries', 273)).toEqual({ level: 'entries', n: 273, width: 112 })
    expect(tileOf(70_000, 1, 1)).toEqual({ level: 1, n: 1, width: 17 })
    expect(widths(256)).toEqual([256, 1, undefined])
    expect(widths(0)).toEqual([undefined, undefined, undefined])
  })

  it('are rejected with another length, or outside of the tree', async () => {
    const short = () => Promise.resolve([new Uint8Array(31)])
    await expect(rootFromTiles(1, short)).rejects.toThrow('tile/0/000.p/1: must be 32 bytes')
    await expect(inclusionPath(1, 1, readTiles)).rejects.toThrow(RangeError)
    await expect(inclusionPath(0, 0, readTiles)).rejects.toThrow(RangeError)
    await expect(consistencyPath(2, 1, readTiles)).rejects.toThrow(RangeError)
    await expect(rootFromTiles(2 ** 53, readTiles)).rejects.toThrow(RangeError)
    await expect(rootFromTiles(-1, readTiles)).rejects.toThrow(RangeError)
  })

  it('of entries contain each leaf after its length', () => {
    const bundle = Uint8Array.of(0, 2, 104, 105, 0, 0, 1, 0, ...new Array(256).fill(7))
    expect(parseBundle(bundle)?.map(({ length }) => length)).toEqual([2, 0, 256])
    expect(parseBundle(new Uint8Array(0))).toEqual([])
    expect(parseBundle(bundle.subarray(0, 263))).toBeNull()
    expect(parseBundle(Uint8Array.of(0))).toBeNull()
    expect(parseBundle(Uint8Array.of(0, 0, 255))).toBeNull()
  })
})
