import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import {
  formatProof,
  hashLeaf,
  inclusionPath,
  openCheckpoint,
  parsePolicy,
  readLeaves,
  rootFromTiles,
  tileReader,
  verifyProof,
} from '@agentreg/verify'
import { describe, expect, it, vi } from 'vitest'
import { joinBytes } from '../../src/transparency/bytes.ts'
import { formatCheckpoint } from '../../src/transparency/checkpoint.ts'
import { makeSignerKey, parseSignerKey } from '../../src/transparency/keys.ts'
import { type Leaf, leafBytes } from '../../src/transparency/leaf.ts'
import { growingTree } from '../../src/transparency/merkle.ts'
import { signNote } from '../../src/transparency/note.ts'
import { parseTilePath } from '../../src/transparency/tiles.ts'

const ROOT = join(import.meta.dirname, '../..')
const IMPORT = /^(?:import|export) (?:[^'"]*? from )?'([^']+)'|\bimport\('([^']+)'\)/gm
const ORIGIN = 'registry.example/log'
const BASE = 'https://registry.example/log'
const SIZE = 600

const leafAt = (seq: number): Leaf => ({
  v: 1,
  kind: 'event',
  reg: 'REG-2026-0001-0042-U',
  seq,
  c: 'A'.repeat(43),
})

/** A log of events and a service of its files, without the partial tiles of full ones. */
async function servedLog() {
  const leaves = Array.from({ length: SIZE }, (_, n) => leafBytes(leafAt(n + 1)))
  const hashes = await Promise.all(leaves.map((leaf) => hashLeaf(leaf)))
  const rootOf = async (of: typeof hashes) => {
    const tree = growingTree()
    for (const hash of of) await tree.append(hash)
    return tree.root()
  }
  const levels = [hashes, await Promise.all([0, 256].map((at) => rootOf(hashes.slice(at, at + 256))))]
  const { skey, vkey } = await makeSignerKey(ORIGIN)
  const signer = await parseSignerKey(skey)
  if (!signer) throw new Error('the key does not parse')
  const checkpoint = { origin: ORIGIN, size: SIZE, root: await rootOf(hashes) }
  const note = await signNote(formatCheckpoint(checkpoint), [signer])
  const old = { size: 300, root: await rootOf(hashes.slice(0, 300)) }

  const response = (path: string): string | Uint8Array<ArrayBuffer> | null => {
    if (path === 'checkpoint') return note
    const tile = parseTilePath(path)
    if (!tile) return null
    const rows =
      tile.level === 'entries'
        ? leaves.map((leaf) => joinBytes(Uint8Array.of(leaf.length >> 8, leaf.length & 255), leaf))
        : levels[tile.level]
    const part = rows?.slice(tile.n * 256, tile.n * 256 + 256) ?? []
    const isThere = part.length >= tile.width && (tile.width === 256 || part.length < 256)
    return isThere ? joinBytes(...part.slice(0, tile.width)) : null
  }
  const fetch = vi.fn(async (url: string) => {
    const body = response(url.slice(BASE.length + 1))
    return new Response(body, { status: body === null ? 404 : 200 })
  })
  return {
    fetch,
    policy: await parsePolicy(`log ${vkey}\nquorum none`),
    root: checkpoint.root,
    old,
    leaves,
    note,
  }
}

describe('a log read over HTTP', () => {
  it('is verified from its checkpoint to a leaf', async () => {
    const { fetch, policy, root, leaves, note } = await servedLog()
    const log = tileReader(`${BASE}/`, fetch)
    const { checkpoint } = await openCheckpoint(await log.checkpoint(), policy)
    expect(checkpoint).toMatchObject({ origin: ORIGIN, size: SIZE, root, witnesses: [] })
    expect(await rootFromTiles(SIZE, log.readTiles)).toEqual(root)

    const path = await inclusionPath(511, SIZE, log.readTiles)
    const entries = await log.readEntries(1, SIZE)
    expect(entries).toEqual(leaves.slice(256, 512))
    expect(readLeaves(entries, 256).leaves.at(-1)).toEqual({ index: 511, leaf: leafAt(512) })
    const leaf = entries[255] ?? new Uint8Array(0)
    expect(await verifyProof(formatProof({ leaf, index: 511, path, note }), policy)).toMatchObject({
      index: 511,
      read: { leaf: leafAt(512) },
      reason: null,
    })
  })

  it('is read once for each full tile', async () => {
    const { fetch } = await servedLog()
    const log = tileReader(BASE, fetch)
    await inclusionPath(0, SIZE, log.readTiles)
    fetch.mockClear()
    await inclusionPath(1, SIZE, log.readTiles)
    const requested = fetch.mock.calls.map(([url]) => url.slice(BASE.length))
    expect(requested.filter((path) => !path.includes('.p/'))).toEqual([])
  })

  it('falls back to the start of a full tile if the partial one is gone', async () => {
    const { fetch, leaves, old } = await servedLog()
    const log = tileReader(BASE, fetch)
    expect(await rootFromTiles(300, log.readTiles)).toEqual(old.root)
    expect(await log.readEntries(1, 300)).toEqual(leaves.slice(256, 300))
    expect(await log.readEntries(2, 300)).toEqual([])
  })

  it('throws an error that names the missing or malformed file', async () => {
    const logOf = (response: () => Response) => tileReader(BASE, async () => response())
    const gone = logOf(() => new Response(null, { status: 404 }))
    await expect(gone.checkpoint()).rejects.toThrow(`${BASE}/checkpoint: status 404`)
    await expect(gone.proof(7)).rejects.toThrow(`${BASE}/proof/7: status 404`)
    const unavailable = logOf(() => new Response(null, { status: 503 }))
    await expect(unavailable.readEntries(0, 1)).rejects.toThrow(`${BASE}/tile/entries/000.p/1: status 503`)
    const broken = logOf(() => new Response(Uint8Array.of(0, 9, 1)))
    await expect(broken.readEntries(0, 1)).rejects.toThrow('must be a bundle of 1 entries')
    await expect(rootFromTiles(1, broken.readTiles)).rejects.toThrow('tile/0/000.p/1: must be 32 bytes')
    const binary = logOf(() => new Response(Uint8Array.of(0xff)))
    await expect(binary.checkpoint()).rejects.toThrow(TypeError)
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
