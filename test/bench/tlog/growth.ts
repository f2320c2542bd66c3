import { connect } from '../../../src/db/client.ts'
import type { Env } from '../../../src/env.ts'
import { findProof } from '../../../src/tlog/serve-store.ts'
import { inTurns } from '../../support/load/clients.ts'
import { timed } from '../../support/load/figures.ts'
import { newSeed } from '../../support/log/traffic.ts'
import { type Beside, besideOf } from '../growth/snapshots.ts'
import { type Database, progress, type Servers } from '../requests/servers.ts'
import { makeDatabase } from './database.ts'

const AGENTS = 600
const EVENTS_PER_AGENT = 100
const MINUTE = 600 // events
const MINUTES = 60
const PROOFS = 200
const WARM_UP = 10
const ORIGIN = 'registry.example/log'
const TIMEOUT_MS = 60_000

/** Measures a log of 10,000 leaves and a large one alternately: appending the events of a minute, and serving a proof. */
export async function measureGrowth(
  servers: Servers,
  leaves: number,
): Promise<{ append: Beside; proof: Beside }> {
  const grown = async (name: string, size: number) => {
    const side = await makeDatabase(servers, name, { agents: AGENTS, eventsPerAgent: EVENTS_PER_AGENT })
    progress(`${name}: a log of ${size} leaves`)
    await enlarge(side, size)
    return side
  }
  const [small, large] = [await grown('small', 10_000), await grown('large', leaves)]
  const proofs = await inTurns(PROOFS, [prove(small, 10_000), prove(large, leaves)])
  const appends = await inTurns(MINUTES, [append(small), append(large)])
  return { append: besideOf(appends, WARM_UP), proof: besideOf(proofs, WARM_UP) }
}

/** Inserts tiles, bundles, ranges and batches of realistic number and size; their content does not affect the times. */
async function enlarge({ client }: Database, size: number): Promise<void> {
  await client.query('set synchronous_commit = off')
  await client.query('set session_replication_role = replica')
  for (const table of ['tlog_tiles', 'tlog_bundles', 'tlog_ranges', 'tlog_batches', 'tlog_facts'])
    await client.query(`alter table ${table} disable trigger user; truncate ${table}`)
  for (let [level, hashes] = [0, size]; hashes > 0; level++, hashes = Math.floor(hashes / 256)) {
    await client.query(
      `insert into tlog_tiles select $1, n, substr(t.hashes, 1, 32 * least(256, $2 - 256 * n)::integer)
       from generate_series(0, ($2::bigint - 1) / 256) n,
         (select string_agg(sha256(i::text::bytea), ''::bytea) as hashes from generate_series(1, 256) i) t`,
      [level, hashes],
    )
  }
  await client.query(
    `insert into tlog_bundles select n, substr(b.entries, 1, 130 * least(256, $1 - 256 * n)::integer)
     from generate_series(0, ($1::bigint - 1) / 256) n,
       (select string_agg('\\x0080'::bytea || convert_to(rpad(md5(i::text) || md5((-i)::text), 128, '.'), 'UTF8'),
         ''::bytea) as entries from generate_series(1, 256) i) b`,
    [size],
  )
  await client.query(
    `insert into tlog_ranges select gen_random_uuid(), 1, i * 100, 100 from generate_series(0, $1 / 100 - 1) i`,
    [size],
  )
  await client.query(
    `insert into tlog_batches select i * 4096, 4096, sha256(''), now() from generate_series(0, $1 / 4096) i`,
    [size],
  )
  await client.query(`update tlog_state set size = $1`, [size])
  await client.query(
    `insert into tlog_heads (day, size, root, note, signed_at) values ('2026-11-20', $1, sha256(''), $2, now())`,
    [size, `${ORIGIN}\n`],
  )
  for (const table of ['tlog_tiles', 'tlog_bundles', 'tlog_ranges', 'tlog_batches', 'tlog_facts'])
    await client.query(`alter table ${table} enable always trigger ${table}_grows;
      alter table ${table} enable always trigger ${table}_stays`)
  await client.query('set session_replication_role = origin')
  await client.query('vacuum analyze')
}

const append =
  ({ client }: Database) =>
  () =>
    timed(() => client.query('select tlog_append_events($1, $2, $3, null)', [MINUTE, newSeed(), new Date()]))

const prove =
  ({ settings }: Database, size: number) =>
  () =>
    timed(async () => {
      const env = settings as unknown as Env
      const found = await findProof(
        connect(env, AbortSignal.timeout(TIMEOUT_MS)),
        ORIGIN,
        Math.floor(Math.random() * size),
      )
      if (!found) throw new Error('a leaf is not there')
    })
