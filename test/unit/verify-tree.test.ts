import { describe, expect, it } from 'vitest'
import { readListed } from '../../packages/verify/entries.ts'
import { CheckFailed } from '../../packages/verify/problems.ts'
import { openTree } from '../../packages/verify/tree.ts'
import { encodeBase64 } from '../../src/transparency/bytes.ts'
import { leafBytes } from '../../src/transparency/leaf.ts'
import { hashLeaf } from '../../src/transparency/merkle.ts'
import type { ReadTiles } from '../../src/transparency/tiles.ts'
import { tilesOf, treeNodes } from '../support/trees.ts'
import vectors from '../vectors/tlog.json' with { type: 'json' }

const roots: Record<string, string> = vectors.trees.roots
const sizes = Object.keys(roots).map(Number)
const readTiles = tilesOf(treeNodes())

const rootOf = (size: number) => new Uint8Array(Buffer.from(roots[size] ?? '', 'base64'))
const leafAt = (index: number) => new TextEncoder().encode(`leaf ${index}`)

describe('the tree of a signed head', () => {
  it.each([1, 256, 257, 300, Math.max(...sizes)])(
    'of %i leaves has the roots and leaves that Go computed',
    async (size) => {
      const tree = await openTree({ size, root: rootOf(size) }, readTiles)
      for (const earlier of sizes.filter((one) => one <= size))
        expect(encodeBase64(await tree.rootAt(earlier))).toBe(roots[earlier])
      for (const index of [0, Math.floor(size / 2), size - 1]) {
        await tree.requireLeaf(index, leafAt(index))
        await expect(tree.requireLeaf(index, leafAt(index + 1))).rejects.toThrow(CheckFailed)
      }
    },
  )

  it('is rejected with one changed bit in a tile, at the edge or above a leaf', async () => {
    const flip =
      (level: number, n: number): ReadTiles =>
      async (tiles) =>
        (await readTiles(tiles)).map((bytes, at) =>
          tiles[at]?.level === level && tiles[at].n === n ? bytes.with(40, (bytes[40] ?? 0) ^ 1) : bytes,
        )
    const head = { size: 300, root: rootOf(300) }
    await expect(openTree(head, flip(0, 1))).rejects.toThrow(CheckFailed)
    const tree = await openTree(head, flip(0, 0))
    await expect(tree.requireLeaf(5, leafAt(5))).rejects.toThrow('the tiles do not result in the signed root')
    await expect(tree.rootAt(5)).rejects.toThrow(CheckFailed)
  })

  it('is rejected with tiles that are too short', async () => {
    const short: ReadTiles = async (tiles) => (await readTiles(tiles)).map((bytes) => bytes.slice(0, -1))
    await expect(openTree({ size: 3, root: rootOf(3) }, short)).rejects.toThrow(CheckFailed)
  })
})

describe('a listed leaf', () => {
  const reg = 'REG-2026-0001-0042-U'
  const c = 'A'.repeat(43)
  const text = Buffer.from(leafBytes({ v: 1, kind: 'agent', reg, rev: 1, c })).toString()

  /** Reads a text that the tree has as its only leaf. */
  async function read(leaf: string) {
    const hash = await hashLeaf(new TextEncoder().encode(leaf))
    const tree = await openTree({ size: 1, root: hash }, async () => [hash])
    return readListed(tree, { index: 0, leaf }, { kind: 'agent', reg })
  }

  it('is read', async () => {
    expect(await read(text)).toEqual({ v: 1, kind: 'agent', reg, rev: 1, c })
  })

  it.each([
    ['white space', text.replace(',', ', ')],
    ['another version', text.replace('"v":1', '"v":2')],
    ['another kind', text.replace('agent', 'event')],
    ['another agent', text.replace(reg, 'REG-2026-0001-0043-S')],
    ['no JSON', '{'],
  ])('with %s is rejected', async (_, other) => {
    await expect(read(other)).rejects.toThrow(CheckFailed)
  })

  it('beyond the tree is not read', async () => {
    const tree = await openTree({ size: 0, root: rootOf(0) }, readTiles)
    expect(await readListed(tree, { index: 0, leaf: text }, { kind: 'agent', reg })).toBeNull()
  })
})
