import { createHash } from 'node:crypto'
import type pg from 'pg'
import { sameBytes } from '../../../src/transparency/bytes.ts'
import { growingTree, HASH_BYTES, hashLeaf, type Sha256 } from '../../../src/transparency/merkle.ts'
import { parseBundle, type ReadTiles, rootFromTiles } from '../../../src/transparency/tiles.ts'
import { newSeed } from '../../support/log/traffic.ts'
import { progress, type Servers } from '../requests/servers.ts'
import { makeDatabase } from './database.ts'

const PUT = 65_536
const sha256: Sha256 = (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest())

export interface Audit {
  leaves: number
  megabytes: number
  bundles: number
  /** Leaves that are read, hashed, and combined into the root, without the network. */
  seconds: number
}

/** Inserts leaves like those of events into a log, and computes its root only from them, as a monitor does. */
export async function measureAudit(servers: Servers, leaves: number): Promise<Audit> {
  const { client } = await makeDatabase(servers, 'audit', { agents: 1, eventsPerAgent: 1 })
  const { rows: before } = await client.query<{ size: number }>('select size::integer from tlog_state')
  for (let size = before[0]?.size ?? 0; size < leaves; size += PUT) {
    progress(`audit: ${size} of ${leaves} leaves`)
    await client.query(
      `select tlog_put($1, array_agg(convert_to('{"v":1,"kind":"event","reg":"REG-2026-0001-0042-U","seq":' || i
         || ',"c":"' || tlog_commit($3, i::text) || '"}', 'UTF8') order by i), $3, $4)
       from generate_series($1::bigint, $2::bigint - 1) i`,
      [size, Math.min(leaves, size + PUT), newSeed(), new Date()],
    )
  }
  const { rows: bundles } = await client.query<{ entries: Buffer }>(
    'select entries from tlog_bundles order by n',
  )
  const began = performance.now()
  const tree = growingTree(sha256)
  let bytes = 0
  for (const { entries } of bundles) {
    bytes += entries.length
    for (const leaf of parseBundle(Uint8Array.from(entries)) ?? [])
      await tree.append(await hashLeaf(leaf, sha256))
  }
  const root = await tree.root()
  const seconds = (performance.now() - began) / 1_000
  if (!sameBytes(root, await rootFromTiles(leaves, readTilesOf(client), sha256)))
    throw new Error('the root of the leaves is another one than that of the tiles')
  return { leaves, megabytes: bytes / 1e6, bundles: bundles.length, seconds }
}

const readTilesOf =
  (client: pg.Client): ReadTiles =>
  (tiles) =>
    Promise.all(
      tiles.map(async ({ level, n, width }) => {
        const { rows } = await client.query<{ hashes: Buffer }>(
          'select substr(hashes, 1, $3) as hashes from tlog_tiles where level = $1 and n = $2',
          [level, n, width * HASH_BYTES],
        )
        return Uint8Array.from(rows[0]?.hashes ?? [])
      }),
    )
