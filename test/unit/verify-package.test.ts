import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import {
  formatProof,
  inclusionPath,
  openCheckpoint,
  parsePolicy,
  readLeaves,
  rootFromTiles,
  tileReader,
  verifyProof,
} from '@agentreg/verify'
import { describe, expect, it } from 'vitest'
import { encodeBase64, joinBytes } from '../../src/transparency/bytes.ts'
import { parseTilePath, tileOf } from '../../src/transparency/tiles.ts'
import { tilesOf, treeNodes } from '../support/trees.ts'
import vectors from '../vectors/tlog.json' with { type: 'json' }

const ROOT = join(import.meta.dirname, '../..')
const IMPORT = /^(?:import|export) (?:[^'"]*? from )?'([^']+)'|\bimport\('([^']+)'\)/gm
const BASE = 'https://registry.example/log'
const SIZE = 600
const { trees, notes } = vectors
const { 300: root } = trees.roots
const entryAt = (index: number) => new TextEncoder().encode(`leaf ${index}`)

/** A service of the files of a log of 600 leaves, without the partial tiles of full ones. */
function servedLog() {
  const readTiles = tilesOf(treeNodes())
  const response = async (path: string) => {
    const tile = parseTilePath(path)
    const width = (tile && tileOf(SIZE, tile.level, tile.n)?.width) ?? 0
    if (!tile || tile.width > width || (width === 256 && tile.width < 256)) return null
    if (tile.level !== 'entries') return (await readTiles([tile]))[0] ?? null
    const entries = Array.from({ length: tile.width }, (_, n) => entryAt(tile.n * 256 + n))
    return joinBytes(...entries.map((entry) => joinBytes(Uint8Array.of(0, entry.length), entry)))
  }
  return tileReader(`${BASE}/`, async (url) => {
    const body = await response(url.slice(BASE.length + 1))
    return new Response(body, { status: body === null ? 404 : 200 })
  })
}

describe('a log read over HTTP', () => {
  it('is verified from its checkpoint to a leaf', async () => {
    const log = servedLog()
    const policy = await parsePolicy(`${notes.policy}quorum none`)
    const { checkpoint } = await openCheckpoint(notes.signed, policy)
    expect(checkpoint).toMatchObject({ origin: 'registry.example/log', size: 300 })
    expect(checkpoint?.root).toEqual(await rootFromTiles(300, log.readTiles))

    const path = await inclusionPath(42, 300, log.readTiles)
    const entries = await log.readEntries(0, SIZE)
    expect(entries).toEqual(Array.from({ length: 256 }, (_, n) => entryAt(n)))
    expect(readLeaves(entries, 0).malformed).toHaveLength(256)
    const leaf = entries[42] ?? null
    const proof = formatProof({ leaf, index: 42, path, note: notes.signed })
    expect(await verifyProof(proof, policy)).toMatchObject({ index: 42, reason: null })
  })

  it('falls back to the start of a full tile if the partial one is gone', async () => {
    const log = servedLog()
    expect(encodeBase64(await rootFromTiles(300, log.readTiles))).toEqual(root)
    expect(await log.readEntries(1, 300)).toEqual(Array.from({ length: 44 }, (_, n) => entryAt(256 + n)))
    expect(await log.readEntries(2, 300)).toEqual([])
  })

  it('throws an error that names the missing or malformed file', async () => {
    const logOf = (response: () => Response) => tileReader(BASE, async () => response())
    const gone = logOf(() => new Response(null, { status: 404 }))
    await expect(gone.readEntries(0, 1)).rejects.toThrow(`${BASE}/tile/entries/000: status 404`)
    const unavailable = logOf(() => new Response(null, { status: 503 }))
    await expect(unavailable.readEntries(0, 1)).rejects.toThrow(`${BASE}/tile/entries/000.p/1: status 503`)
    const broken = logOf(() => new Response(Uint8Array.of(0, 9, 1)))
    await expect(broken.readEntries(0, 1)).rejects.toThrow('must be a bundle of 1 entries')
    await expect(rootFromTiles(1, broken.readTiles)).rejects.toThrow('tile/0/000.p/1: must be 32 bytes')
  })
})

it('the package imports only pure files of this repository', () => {
  const found = new Set<string>()
  const visit = (file: string) => {
    if (found.has(file)) return
    found.add(file)
    for (const [, now, later] of readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORT)) {
      const path = now ?? later ?? ''
      expect([file, path]).toEqual([file, expect.stringMatching(/^\.\.?\//)])
      visit(relative(ROOT, join(ROOT, dirname(file), path)))
    }
  }
  visit('packages/verify/index.ts')
  expect(found).toContain('packages/verify/incidents.ts')
  const folders = new Set([...found].map((file) => dirname(file)))
  expect(folders).toEqual(new Set(['packages/verify', 'src/transparency', 'src/trust', 'src/lib', 'src/db']))
})
