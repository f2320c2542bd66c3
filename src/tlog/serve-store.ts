import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { decodeBase64 } from '../transparency/bytes.ts'
import type { TlogProof } from '../transparency/proof-text.ts'
import type { Tile } from '../transparency/tiles.ts'
import type { Origin, Restore } from './info.ts'

const WIDTH = 256
const HASH_BYTES = 32
const LENGTH_BYTES = 2

type Bytes = Uint8Array<ArrayBuffer>

const SIGNED_SIZE = sql`(select size from tlog_heads order by size desc limit 1)`

/** The hashes of a tile; null for one that is not below the newest signed head. */
export async function findTile(db: Db, { level, n, width }: Tile): Promise<Bytes | null> {
  const leaves = (n * WIDTH + width) * WIDTH ** Number(level)
  if (!Number.isSafeInteger(leaves)) return null
  const { rows } = await db.execute<{ bytes: string }>(sql`
    select translate(encode(substr(hashes, 1, ${width * HASH_BYTES}::integer), 'base64'), chr(10), '') as bytes
    from tlog_tiles
    where level = ${level}::smallint and n = ${n}::bigint and ${leaves}::bigint <= ${SIGNED_SIZE}
      and length(hashes) >= ${width * HASH_BYTES}::integer`)
  return decodeBase64(rows[0]?.bytes ?? '?')
}

/** The leaves of a bundle, each behind its length; null for one that is not below the newest signed head. */
export async function findBundle(db: Db, { n, width }: Tile): Promise<Bytes | null> {
  const leaves = n * WIDTH + width
  const { rows } = await db.execute<{ bytes: string }>(sql`
    select translate(encode(entries, 'base64'), chr(10), '') as bytes
    from tlog_bundles where n = ${n}::bigint and ${leaves}::bigint <= ${SIGNED_SIZE}`)
  const bytes = decodeBase64(rows[0]?.bytes ?? '?')
  const end = bytes && lengthOf(bytes, width)
  return bytes && end !== null && end <= bytes.length ? bytes.subarray(0, end) : null
}

/** How many bytes the first leaves of a bundle take; null when it has less of them. */
function lengthOf(entries: Bytes, leaves: number): number | null {
  let end = 0
  for (let leaf = 0; leaf < leaves; leaf++) {
    const [high, low] = entries.subarray(end, end + LENGTH_BYTES)
    if (high === undefined || low === undefined) return null
    end += LENGTH_BYTES + high * 256 + low
  }
  return end
}

/** The newest head, a leaf below it, and the path from one to the other; null when the leaf is not below it. */
export async function findProof(db: Db, index: number): Promise<TlogProof | null> {
  const { rows } = await db.execute<{ note: string; leaf: string; path: string[] }>(sql`
    select h.note || h.cosignatures as note, translate(encode(l.leaf, 'base64'), chr(10), '') as leaf,
      array(select translate(encode(hash, 'base64'), chr(10), '')
        from unnest(tlog_path(l.index, h.size)) with ordinality as p (hash, nth) order by nth) as path
    from (select * from tlog_heads order by size desc limit 1) h
    cross join tlog_leaves(${Math.floor(index / WIDTH)}::bigint) l
    where l.index = ${index}::bigint and l.index < h.size`)
  const row = rows[0]
  return row ? { leaf: toBytes(row.leaf), index, path: row.path.map(toBytes), note: row.note } : null
}

interface Past {
  /** Leaves below the newest signed head. */
  size: number
  origins: Origin[]
  restores: Restore[]
}

/** How far the log has come, the origins that it has had, and what of it was declared void. */
export async function findPast(db: Db): Promise<Past> {
  const { rows } = await db.execute<{ size: string | null; origins: Origin[]; restores: Restore[] }>(
    sql`select ${SIGNED_SIZE}::text as size, tlog_origins() as origins, tlog_restores() as restores`,
  )
  const { size = null, origins = [], restores = [] } = rows[0] ?? {}
  return { size: Number(size ?? 0), origins, restores }
}

function toBytes(base64: string): Bytes {
  const bytes = decodeBase64(base64)
  if (!bytes) throw new Error('the database gave bytes that are not base64')
  return bytes
}
