import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { timestamptz } from '../../src/db/sql.ts'
import { HASH_BYTES, type Hash } from '../../src/transparency/merkle.ts'
import { rootFromTiles, TILE_WIDTH } from '../../src/transparency/tiles.ts'

const SEED_BYTES = 32
const PAGE = 100

export type LogState = {
  /** Leaves in the tree. */
  size: number
  /** Why the log is paused; null if it is not. */
  paused: string | null
}

/** Reads the state of the log, and blocks the sequencer until the end of the transaction. */
export async function lockLog(db: NodePgDatabase): Promise<LogState> {
  const { rows } = await db.execute<LogState>(
    sql`select size::float8 as size, paused from tlog_state for update`,
  )
  const [state] = rows
  if (!state) throw new Error('the database has no transparency log: run db:migrate')
  return state
}

/** Pauses the log of the lost database after any append in progress; returns its number of leaves. */
export async function pauseLost(lost: NodePgDatabase): Promise<number> {
  const { rows } = await lost.execute<LogState>(
    sql`update tlog_state set paused = coalesce(paused, 'restore') returning size::float8 as size, paused`,
  )
  return rows[0]?.size ?? 0
}

/** Computes the root of the first `size` leaves from the tiles of a database. */
export function rootOf(db: NodePgDatabase, size: number): Promise<Hash> {
  return rootFromTiles(size, (tiles) =>
    Promise.all(
      tiles.map(async ({ level, n, width }) => {
        const { rows } = await db.execute<{ hashes: Buffer }>(
          sql`select substr(hashes, 1, ${width * HASH_BYTES}::integer) as hashes from tlog_tiles
            where level = ${level}::smallint and n = ${n}::bigint`,
        )
        return Uint8Array.from(rows[0]?.hashes ?? [])
      }),
    ),
  )
}

type Tile = { level: number; n: string; hashes: Buffer }
type Bundle = { n: string; entries: Buffer }
type Batch = { first_index: string; leaves: number; seed: Buffer; sequenced_at: string }
type Head = { day: string; size: string; root: Buffer; note: string; cosignatures: string; signed_at: string }

/**
 * Appends the leaves [from, to) of a lost log to this one, with its heads. A trigger rejects a tile or bundle that does
 * not begin with the one that is already here.
 *
 * @param db in a transaction
 */
export async function copyTail(
  db: NodePgDatabase,
  lost: NodePgDatabase,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const first = Math.floor(from / TILE_WIDTH)
  for (let n = first; n * TILE_WIDTH < to; n += PAGE) {
    const { rows } = await lost.execute<Bundle>(
      sql`select n, entries from tlog_bundles where n >= ${n}::bigint and n < ${n + PAGE}::bigint order by n`,
    )
    for (const { n: bundle, entries } of rows)
      await db.execute(sql`insert into tlog_bundles (n, entries) values (${bundle}::bigint, ${entries})
        on conflict (n) do update set entries = excluded.entries`)
  }
  for (let [level, hashes] = [0, to]; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH)) {
    const begin = Math.floor(from / TILE_WIDTH ** (level + 1))
    for (let n = begin; n * TILE_WIDTH < hashes; n += PAGE) {
      const { rows } = await lost.execute<Tile>(sql`select level, n, hashes from tlog_tiles
        where level = ${level}::smallint and n >= ${n}::bigint and n < ${n + PAGE}::bigint order by n`)
      for (const tile of rows)
        await db.execute(sql`insert into tlog_tiles (level, n, hashes)
          values (${tile.level}::smallint, ${tile.n}::bigint, ${tile.hashes})
          on conflict (level, n) do update set hashes = excluded.hashes`)
    }
  }
  const { rows: batches } =
    await lost.execute<Batch>(sql`select first_index, leaves, seed, wire_time(sequenced_at) as sequenced_at
    from tlog_batches where first_index >= ${from}::bigint order by first_index`)
  for (const { first_index, leaves, seed, sequenced_at } of batches)
    await db.execute(sql`insert into tlog_batches (first_index, leaves, seed, sequenced_at)
      values (${first_index}::bigint, ${leaves}::integer, ${seed}, ${timestamptz(sequenced_at)})`)
  await db.execute(sql`update tlog_state set size = ${to}::bigint`)
  const { rows: heads } = await lost.execute<Head>(sql`select day::text, size, root, note, cosignatures,
    wire_time(signed_at) as signed_at from tlog_heads where size > ${from}::bigint order by size`)
  for (const { day, size, root, note, cosignatures, signed_at } of heads)
    await db.execute(sql`insert into tlog_heads (day, size, root, note, cosignatures, signed_at)
      values (${day}::date, ${size}::bigint, ${root}, ${note}, ${cosignatures}, ${timestamptz(signed_at)})
      on conflict (day) do update set size = excluded.size, root = excluded.root, note = excluded.note,
        cosignatures = excluded.cosignatures, signed_at = excluded.signed_at`)
}

/** The first bundle, starting with that of leaf `from`, whose leaves do not hash to its tile; null if all do. */
export async function findInvalidBundle(db: NodePgDatabase, from: number): Promise<number | null> {
  const { rows } = await db.execute<{ n: number }>(sql`
    select b.n::float8 as n from tlog_bundles b left join tlog_tiles t on t.level = 0 and t.n = b.n
    where b.n >= ${Math.floor(from / TILE_WIDTH)}::bigint and t.hashes is distinct from (
      select string_agg(sha256('\\x00'::bytea || l.leaf), ''::bytea order by l.index) from tlog_leaves(b.n) l)
    order by b.n limit 1`)
  return rows[0]?.n ?? null
}

/** The heads with more than `from` leaves. */
export async function findHeadsAfter(
  db: NodePgDatabase,
  from: number,
): Promise<{ size: number; root: Hash }[]> {
  const { rows } = await db.execute<{ size: number; root: Buffer }>(
    sql`select size::float8 as size, root from tlog_heads where size > ${from}::bigint order by size`,
  )
  return rows.map(({ size, root }) => ({ size, root: Uint8Array.from(root) }))
}

/** Appends a leaf in plain text to the log. */
export async function appendLeaf(
  db: NodePgDatabase,
  { kind, subject, leaf }: { kind: 'restore' | 'log'; subject: string; leaf: string },
  now: Date,
): Promise<void> {
  await db.execute(sql`insert into tlog_facts (index, kind, subject, rev, facts)
    select size, ${kind}, ${subject}, 1, ${leaf} from tlog_state`)
  await db.execute(sql`select tlog_put(size, array[convert_to(${leaf}, 'UTF8')], ${randomBytes(SEED_BYTES)}::bytea,
    ${timestamptz(now)}) from tlog_state`)
}

/** The newest signed note, and the version and origins that the log states about itself. */
export async function findNewestNote(
  db: NodePgDatabase,
): Promise<{ note: string; spec: string; origins: string[] }> {
  const { rows } = await db.execute<{ note: string; spec: string; origins: string[] }>(sql`
    select (select note || cosignatures from tlog_heads order by size desc limit 1) as note,
      (select facts::json ->> 'spec' from tlog_facts where kind = 'log' order by index desc limit 1) as spec,
      array(select subject from tlog_facts where kind = 'log' order by index) as origins`)
  const [row] = rows
  if (!row?.note) throw new Error('the log has no signed head: it cannot continue under a new origin')
  return row
}

/** Resumes the log. */
export async function unpause(db: NodePgDatabase): Promise<void> {
  await db.execute(sql`update tlog_state set paused = null`)
}
