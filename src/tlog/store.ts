import { sql } from 'drizzle-orm'
import type { Db } from '../db/client.ts'
import { tlog_heads } from '../db/log-schema.ts'
import { base64, jsonb, timestamptz } from '../db/sql.ts'
import { only } from '../db/transaction.ts'
import { fromBase64 } from '../lib/crypto.ts'
import { utcDay } from '../lib/time.ts'
import { encodeBase64 } from '../transparency/bytes.ts'
import { HASH_BYTES, type Hash } from '../transparency/merkle.ts'
import { type ReadTiles, TILE_WIDTH } from '../transparency/tiles.ts'
import type { Declaration } from './settings.ts'

const SEED_BYTES = 32

/** A signed head of the log. */
export interface SignedHead {
  /** Number of leaves in its tree. */
  size: number
  root: Hash
  /** The signed note, without cosignatures. */
  note: string
  /** Lines of witnesses, each with its newline. */
  cosignatures: string
  /** ISO 8601. */
  signed_at: string
}

/** What one call appended; or why nothing may be appended: busy, paused, behind, or other_origin (see tlog_open). */
type Appended = { size: number; appended: number; more: boolean; refusal?: undefined } | { refusal: string }

/** The parameters of every call that appends. */
export interface Call {
  /** Maximum number of leaves. */
  most: number
  now: Date
  /** The size of the newest signed head; null if unknown. */
  head: number | null
}

const seed = () => sql`decode(${encodeBase64(crypto.getRandomValues(new Uint8Array(SEED_BYTES)))}, 'base64')`

/** Appends events that are not in the log yet. */
export function appendEvents(db: Db, call: Call): Promise<Appended> {
  const { most, now, head } = call
  return append(
    db,
    sql`tlog_append_events(${most}::integer, ${seed()}, ${timestamptz(now)}, ${head}::bigint)`,
  )
}

/** Appends other changes, days that are over, and what the service declares about itself. */
export function appendFacts(db: Db, call: Call, declaration: Declaration): Promise<Appended> {
  const { most, now, head } = call
  return append(
    db,
    sql`tlog_append_facts(${most}::integer, ${seed()}, ${timestamptz(now)}, ${head}::bigint, ${jsonb(declaration)})`,
  )
}

async function append(db: Db, call: ReturnType<typeof sql>): Promise<Appended> {
  const { rows } = await db.execute<{ done: Appended }>(sql`select ${call} as done`)
  return only(rows).done
}

/** The indexes of those leaves that differ from the stored events. */
export async function findDiffering(db: Db, indexes: readonly number[]): Promise<number[]> {
  const parameter = sql`array(select i::bigint from jsonb_array_elements_text(${jsonb(indexes)}) as u (i))`
  const { rows } = await db.execute<{ found: number[] }>(
    sql`select to_json(tlog_differing(${parameter})) as found`,
  )
  return rows[0]?.found ?? []
}

/** Pauses the log until someone has checked it. */
export async function pauseLog(db: Db, why: 'fork' | 'witness'): Promise<void> {
  await db.execute(sql`select tlog_pause(${why})`)
}

/** Whether the log is paused: then nothing is appended. */
export async function isPaused(db: Db): Promise<boolean> {
  const { rows } = await db.execute(sql`select from tlog_state where paused is not null`)
  return rows.length > 0
}

/**
 * Reads the tiles along the right edges of trees in one query: the roots of these trees, and consistency paths between
 * them, need no others.
 *
 * @param sizes number of leaves of each tree
 * @returns a reader that returns these tiles from memory
 */
export async function readEdges(db: Db, sizes: readonly number[]): Promise<ReadTiles> {
  const places: { level: number; n: number }[] = []
  for (const size of sizes) {
    for (let [level, hashes] = [0, size]; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH))
      places.push({ level, n: Math.floor(hashes / TILE_WIDTH) })
  }
  const { rows } = await db.execute<{ place: string; hashes: string }>(sql`
    select distinct on (t.level, t.n) t.level || '/' || t.n as place, ${base64(sql`t.hashes`)} as hashes
    from jsonb_to_recordset(${jsonb(places)}) as p (level smallint, n bigint)
    join tlog_tiles t on t.level = p.level and t.n = p.n`)
  const tiles = new Map(rows.map(({ place, hashes }) => [place, fromBase64(hashes)]))
  return async (wanted) =>
    wanted.map(
      ({ level, n, width }) => tiles.get(`${level}/${n}`)?.slice(0, width * HASH_BYTES) ?? new Uint8Array(),
    )
}

/** The newest stored signed head; null before the first. */
export async function findHead(db: Db): Promise<SignedHead | null> {
  const { rows } = await db.execute<Omit<SignedHead, 'root' | 'size'> & { size: string; root: string }>(sql`
    select h.size::text as size, ${base64(sql`h.root`)} as root, h.note, h.cosignatures,
      wire_time(h.signed_at) as signed_at
    from tlog_heads h order by h.size desc limit 1`)
  const row = rows[0]
  return row ? { ...row, size: Number(row.size), root: fromBase64(row.root) } : null
}

/** Stores a head as that of its UTC day. It replaces a smaller one, or itself with other cosignatures. */
export async function storeHead(db: Db, head: SignedHead): Promise<void> {
  const { size, root, note, cosignatures, signed_at } = head
  await db.execute(sql`
    insert into ${tlog_heads} as h (day, size, root, note, cosignatures, signed_at)
    values (${utcDay(new Date(signed_at))}::date, ${size}::bigint, decode(${encodeBase64(root)}, 'base64'), ${note},
      ${cosignatures}, ${timestamptz(signed_at)})
    on conflict (day) do update set size = excluded.size, root = excluded.root, note = excluded.note,
      cosignatures = excluded.cosignatures, signed_at = excluded.signed_at
    where h.size < excluded.size or (h.size = excluded.size and h.root = excluded.root)`)
}
