import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { base64 } from '../db/sql.ts'
import { fromBase64 } from '../lib/crypto.ts'
import { HASH_BYTES } from '../transparency/merkle.ts'
import type { TlogProof } from '../transparency/proof-text.ts'
import { parseBundle, TILE_WIDTH, type Tile } from '../transparency/tiles.ts'
import type { Past } from './info.ts'

type Bytes = Uint8Array<ArrayBuffer>

/**
 * The newest head of an origin. Leaves under another origin are served at other URLs.
 *
 * @param origin the first line of the note
 */
const headOf = (origin: string) =>
  sql`(select * from tlog_heads where starts_with(note, ${`${origin}\n`}) order by size desc limit 1)`

const signedSize = (origin: string) => sql`(select h.size from ${headOf(origin)} h)`

/** The newest signed head with its cosignatures, as it is served; null before the first. */
export async function findCheckpoint(db: Db, origin: string): Promise<string | null> {
  const { rows } = await db.execute<{ note: string }>(
    sql`select h.note || h.cosignatures as note from ${headOf(origin)} h`,
  )
  return rows[0]?.note ?? null
}

/** The hashes of a tile; null if the newest signed head does not cover it. */
export async function findTile(db: Db, origin: string, { level, n, width }: Tile): Promise<Bytes | null> {
  const leaves = (n * TILE_WIDTH + width) * TILE_WIDTH ** Number(level)
  if (!Number.isSafeInteger(leaves)) return null
  const { rows } = await db.execute<{ bytes: string }>(sql`
    select ${base64(sql`substr(hashes, 1, ${width * HASH_BYTES}::integer)`)} as bytes from tlog_tiles
    where level = ${level}::smallint and n = ${n}::bigint and ${leaves}::bigint <= ${signedSize(origin)}
      and length(hashes) >= ${width * HASH_BYTES}::integer`)
  return rows[0] ? fromBase64(rows[0].bytes) : null
}

/** The leaves of a bundle, each after its length; null if the newest signed head does not cover it. */
export async function findBundle(db: Db, origin: string, { n, width }: Tile): Promise<Bytes | null> {
  const leaves = n * TILE_WIDTH + width
  const { rows } = await db.execute<{ bytes: string }>(sql`
    select ${base64(sql`entries`)} as bytes from tlog_bundles where n = ${n}::bigint and ${leaves}::bigint <= ${signedSize(origin)}`)
  if (!rows[0]) return null
  const bytes = fromBase64(rows[0].bytes)
  const last = parseBundle(bytes)?.[width - 1]
  return last ? bytes.subarray(0, last.byteOffset + last.length) : null
}

/** The inclusion proof of a leaf in the newest signed head; null if the head does not cover the leaf. */
export async function findProof(db: Db, origin: string, index: number): Promise<TlogProof | null> {
  const { rows } = await db.execute<{ note: string; leaf: string; path: string[] }>(sql`
    select h.note || h.cosignatures as note, ${base64(sql`l.leaf`)} as leaf,
      array(select ${base64(sql`hash`)}
        from unnest(tlog_path(l.index, h.size)) with ordinality as p (hash, nth) order by nth) as path
    from ${headOf(origin)} h
    cross join tlog_leaves(${Math.floor(index / TILE_WIDTH)}::bigint) l
    where l.index = ${index}::bigint and l.index < h.size`)
  const row = rows[0]
  return row ? { leaf: fromBase64(row.leaf), index, path: row.path.map(fromBase64), note: row.note } : null
}

/** The signed size of the log, all its origins, and what it declares about itself. */
export async function findPast(db: Db, origin: string): Promise<Past> {
  const { rows } = await db.execute<Omit<Past, 'size'> & { size: string | null }>(sql`
    select ${signedSize(origin)}::text as size, tlog_origins() as origins, tlog_announced('restore') as restores,
      tlog_announced('key') as keys`)
  const { size = null, origins = [], restores = [], keys = [] } = rows[0] ?? {}
  return { size: Number(size ?? 0), origins, restores, keys }
}
