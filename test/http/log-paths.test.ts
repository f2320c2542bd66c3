import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { encodeBase64 } from '../../src/transparency/bytes.ts'
import { inclusionPath, type ReadTiles, type Tile, tileOf, tilePath } from '../../src/transparency/tiles.ts'
import { shared } from '../support/harness.ts'
import { type Log, newLog } from '../support/log/database.ts'
import { nodeSha256, tilesOf, treeNodes } from '../support/trees.ts'
import vectors from '../vectors/tlog.json' with { type: 'json' }

const { trees, sparse } = vectors
const SMALL = 40
const LARGE = 65_537

const h = shared()
let log: Log
let client: pg.PoolClient
beforeAll(async () => {
  log = await newLog(h, 0)
  client = await log.pool.connect()
})
afterAll(async () => {
  client.release()
  await log[Symbol.asyncDispose]()
})

/** Runs some work with tiles in the tables of the log, and removes them again. */
async function withTiles(readTiles: ReadTiles, tiles: readonly Tile[], work: () => Promise<void>) {
  const hashes = await readTiles(tiles)
  await client.query('begin')
  try {
    for (const [at, { level, n }] of tiles.entries())
      await client.query('insert into tlog_tiles (level, n, hashes) values ($1, $2, $3)', [
        level,
        n,
        hashes[at],
      ])
    await work()
  } finally {
    await client.query('rollback')
  }
}

async function pathOf(index: number, size: number): Promise<string | null> {
  const { rows } = await client.query<{ path: Buffer[] | null }>('select tlog_path($1, $2) as path', [
    index,
    size,
  ])
  return rows[0]?.path?.map(encodeBase64).join(' ') ?? null
}

/** All tiles of a tree. */
function allOf(size: number): Tile[] {
  const tiles: Tile[] = []
  for (let level = 0; tileOf(size, level, 0); level++) {
    for (let n = 0, tile = tileOf(size, level, n); tile; tile = tileOf(size, level, ++n)) tiles.push(tile)
  }
  return tiles
}

it('tlog_path returns the inclusion paths of the Go implementation, also for trees that have grown since', async () => {
  const readTiles = tilesOf(treeNodes())
  await withTiles(readTiles, allOf(LARGE), async () => {
    for (const { index, size, path } of trees.inclusions)
      expect([index, size, await pathOf(index, size)]).toEqual([index, size, path])
    const { rows } = await client.query<{ index: number; size: number; path: Buffer[] }>(
      `select index, size, tlog_path(index, size) as path
       from generate_series(1, $1) as size, generate_series(0, size - 1) as index`,
      [SMALL],
    )
    for (const { index, size, path } of rows) {
      const found = path.map((hash) => Uint8Array.from(hash))
      expect([index, size, found]).toEqual([
        index,
        size,
        await inclusionPath(index, size, readTiles, nodeSha256),
      ])
    }
    expect([await pathOf(-1, SMALL), await pathOf(SMALL, SMALL), await pathOf(0, 0)]).toEqual([
      null,
      null,
      null,
    ])
  })
})

it.each(sparse)(
  'tlog_path returns paths in a tree of $size leaves',
  async ({ size, special, inclusions }) => {
    const readTiles = tilesOf(treeNodes((low, high) => special.some((index) => index >= low && index < high)))
    const read = new Map<string, Tile>()
    for (const { index } of inclusions)
      await inclusionPath(
        index,
        size,
        async (tiles) => {
          for (const tile of tiles) read.set(tilePath(tile), tile)
          return readTiles(tiles)
        },
        nodeSha256,
      )
    await withTiles(readTiles, [...read.values()], async () => {
      for (const { index, path } of inclusions)
        expect([index, await pathOf(index, size)]).toEqual([index, path])
    })
  },
)
